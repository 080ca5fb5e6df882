//! The certificate files of a program: reloaded together, and watched for their end.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::signal::unix::Signal;

use super::certificate::{Certificate, Lifetime};
use super::reload::CertificateFiles;
use crate::clock::wall_us;

/// How often the certificates are looked at.
const PERIOD: Duration = Duration::from_secs(3_600);

/// A warning is repeated after this time, in seconds.
const REPEAT_S: u64 = 86_400;

/// The certificate files of a program. Clones share what has been logged.
#[derive(Clone, Default)]
pub struct CertificateWatch {
    files: Vec<(&'static str, Arc<dyn CertificateFiles>)>,
    logged: Arc<Mutex<Logged>>,
}

/// What was logged last of a certificate, and when.
type Logged = BTreeMap<(PathBuf, usize), (Lifetime, u64)>;

impl std::fmt::Debug for CertificateWatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let options = self.files.iter().map(|(option, _)| option);
        f.debug_list().entries(options).finish()
    }
}

impl CertificateWatch {
    /// Adds the files of an option, which names them in the log.
    pub fn add(&mut self, option: &'static str, files: Arc<dyn CertificateFiles>) {
        self.files.push((option, files));
    }

    /// Reads all files again, for new connections, and logs which certificates expire soon or have
    /// expired. Returns the options whose files cannot be read or used: what was in use of them
    /// stays in use.
    pub fn reload(&self) -> Vec<(&'static str, io::Error)> {
        let reload = |(option, files): &(&'static str, Arc<dyn CertificateFiles>)| {
            files.reload().err().map(|error| (*option, error))
        };
        let failed = self.files.iter().filter_map(reload).collect();
        self.logged.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.log(wall_us() / 1_000_000);
        failed
    }

    /// The certificates that are in use.
    #[must_use]
    pub fn certificates(&self) -> Vec<Certificate> {
        self.files.iter().flat_map(|(_, files)| files.certificates()).collect()
    }

    /// Logs each hour which certificates expire soon or have expired: when that begins, and once a
    /// day while it lasts. Runs until it is dropped.
    pub async fn watch(&self) {
        loop {
            self.log(wall_us() / 1_000_000);
            tokio::time::sleep(PERIOD).await;
        }
    }

    /// [`CertificateWatch::watch`], and a reload at each of these signals, which is logged.
    pub async fn reload_on(&self, mut hangup: Signal) {
        let reloads = async {
            // `recv` never returns `None` for signals.
            while hangup.recv().await.is_some() {
                let failed = self.reload();
                for (option, error) in &failed {
                    let text = "reload failed: the previous certificates stay in use";
                    tracing::error!(option, %error, "{text}");
                }
                if failed.is_empty() {
                    tracing::info!("reloaded on SIGHUP");
                }
            }
        };
        tokio::join!(reloads, self.watch());
    }

    fn log(&self, now_s: u64) {
        self.due(now_s).iter().for_each(|certificate| certificate.log(now_s));
    }

    /// The certificates that are to be logged at this time.
    fn due(&self, now_s: u64) -> Vec<Certificate> {
        let mut logged = self.logged.lock().unwrap_or_else(PoisonError::into_inner);
        let mut due = self.certificates();
        due.retain(|certificate| {
            let lifetime = certificate.lifetime(now_s);
            let place = (certificate.file.clone(), certificate.number);
            let is_same = |(before, at_s): &(Lifetime, u64)| {
                *before == lifetime && now_s.abs_diff(*at_s) < REPEAT_S
            };
            if lifetime == Lifetime::Valid || logged.get(&place).is_some_and(is_same) {
                return false;
            }
            logged.insert(place, (lifetime, now_s));
            true
        });
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY_S: u64 = 86_400;

    /// A file with a certificate that is valid for 100 days from day 0.
    struct File(Mutex<u64>);

    impl CertificateFiles for File {
        fn reload(&self) -> io::Result<()> {
            Err(io::ErrorKind::NotFound.into())
        }

        fn certificates(&self) -> Vec<Certificate> {
            let not_after_s = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let (file, subject) = (PathBuf::from("file"), String::new());
            let number = 1;
            vec![Certificate { usage: "peer", file, number, subject, not_before_s: 0, not_after_s }]
        }
    }

    #[test]
    fn an_end_is_logged_when_it_comes_near_each_day_and_when_it_has_passed() {
        let file = Arc::new(File(Mutex::new(100 * DAY_S)));
        let mut watch = CertificateWatch::default();
        watch.add("--tls", Arc::clone(&file) as Arc<dyn CertificateFiles>);
        let hours = |days: std::ops::Range<u64>| {
            let hours = (days.start * 24..days.end * 24).map(|hour| hour * 3_600);
            hours.filter(|now_s| !watch.due(*now_s).is_empty()).collect::<Vec<u64>>()
        };
        assert_eq!(hours(0..86), [0; 0]);
        let each_day = hours(86..100);
        assert_eq!(each_day.len(), 14, "{each_day:?}");
        assert_eq!(each_day[0], 86 * DAY_S + 3_600);
        // It has passed an hour later, and that is another thing to say.
        assert_eq!(hours(100..102), [100 * DAY_S + 3_600, 101 * DAY_S + 3_600]);
        *file.0.lock().unwrap_or_else(PoisonError::into_inner) = 300 * DAY_S;
        assert_eq!(hours(102..200), [0; 0]);
    }

    #[test]
    fn a_reload_that_fails_names_its_option() {
        let mut watch = CertificateWatch::default();
        watch.add("--tls", Arc::new(File(Mutex::new(0))));
        let failed = watch.reload();
        assert_eq!(failed.len(), 1);
        assert_eq!((failed[0].0, failed[0].1.kind()), ("--tls", io::ErrorKind::NotFound));
        assert!(
            watch.due(wall_us() / 1_000_000).is_empty(),
            "the reload has logged that it is over"
        );
    }
}
