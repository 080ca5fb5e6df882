//! A member whose process ends at its first start.

use std::io;
use std::time::Duration;

use turnstile_host::store::Disk;

use super::Member;
use crate::error::Members;
use crate::group::Group;
use crate::log::Log;
use crate::machine::{Encode, Place, StateMachine};
use crate::network::hub::Hub;
use crate::options::Options;

struct Echo;

impl StateMachine for Echo {
    fn apply(&mut self, _place: Place, operation: &[u8]) -> Vec<u8> {
        operation.to_vec()
    }

    fn snapshot(&self) -> Encode {
        Box::new(|_| ())
    }

    fn install(&mut self, _snapshot: &[u8]) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_group_that_is_known_and_has_no_entry_is_begun_at_the_next_start() {
    let disk = Disk::default();
    let log = Log::open(Box::new(disk.open()), 1).expect("the disk is empty");
    let members = Members::from([(1, "first".to_owned())]);
    let group = Group { name: String::new(), members, origin: None };
    log.put_group(group.encode());
    log.begin().await.expect("the disk works");
    log.close();
    let network = Hub::new().join(1);
    let member = Member::start(Options::new(1), Box::new(disk.open()), Echo, network).await;
    let member = member.expect("the log is whole");
    let leads = |status: &crate::Status| status.leader == Some(1);
    member.wait_for(Duration::from_secs(60), leads).await.expect("it is alone");
    assert_eq!(member.propose("a").await.expect("it leads"), "a");
    member.stop().await;
}
