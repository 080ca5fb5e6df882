//! The saved values have one version. They are read as code that is not the server's writes them,
//! and those of any other version are refused.

use turnstile_claim::server::{Options, Server, Storage};
use turnstile_host::store::{Batch, Disk, Key, Store as _};

use crate::http::Running;

const VERSION: u8 = 5;
const NOW_US: u64 = 1_700_000_000_000_000;

fn numbers(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn write(disk: &Disk, values: &[(Key, Vec<u8>)]) {
    let (mut store, mut batch) = (disk.open(), Batch::default());
    values.iter().for_each(|(key, value)| batch.put(key, value));
    store.write(&batch);
    store.sync().expect("a simulated disk takes it");
}

/// The values of a server whose claims 7 of `r` and 8 of `s` are held; the resources have these
/// numbers.
fn values(resources: [u32; 2]) -> Vec<(Key, Vec<u8>)> {
    let moment = |at_us: u64| numbers(&[at_us, at_us]);
    let meta = [vec![VERSION], numbers(&[8, 5]), moment(NOW_US), numbers(&[0])].concat();
    let option = |number: u64| [vec![1], numbers(&[number])].concat();
    let claim = |token: u64| {
        [
            [&[VERSION, 6][..], b"active"].concat(),
            option(token),
            vec![0; 9],
            numbers(&[30_000_000]),
            option(NOW_US + 20_000_000),
            [vec![0], moment(NOW_US - 10_000_000)].concat(),
            [vec![1], moment(NOW_US - 10_000_000)].concat(),
        ]
        .concat()
    };
    let data = |number: u32, name: &[u8]| {
        let (number, len) = (number.to_le_bytes(), 1_u32.to_le_bytes());
        [&[VERSION][..], &number, &[0; 8], &[0], &len, name, b"[1]"].concat()
    };
    let mut values = vec![(Key::single(1), meta)];
    for ((id, token, name), number) in [(7, 5, b"r"), (8, 4, b"s")].into_iter().zip(resources) {
        values.push((Key::numbered(2, id), claim(token)));
        values.push((Key::numbered(3, id), data(number, name)));
    }
    values
}

#[test]
fn claims_are_as_they_were_saved() {
    let disk = Disk::default();
    write(&disk, &values([0, 1]));
    let options = Options { wall_us: || NOW_US + 3_600_000_000, ..Options::default() };
    let server = Running::start(Storage::Blocking(Box::new(disk.open())), options);
    let mut client = server.client();
    let held = client.get("/v1/claims/7/").expect(200);
    assert_eq!(held.field("status"), "active");
    assert_eq!(held.field("fencing_token").as_u64(), Some(5));
    assert_eq!(held.field("user_data").to_string(), "[1]");
    assert!(held.field("created").to_string().contains("14 Nov 2023 22:13:10"), "{held:?}");
    let (ttl, duration) = (held.number("ttl"), held.number("active_duration"));
    assert!(ttl > 1.0 && ttl <= 20.0 && duration > 3_600.0, "{held:?}");
    let next = client.post(r#"{"resource":"t","ttl":30}"#).expect(201);
    assert_eq!(next.field("fencing_token").as_u64(), Some(6));
    client.set("/v1/claims/7/", "released").expect(204);
    client.post(r#"{"resource":"s","ttl":30}"#).expect(202);
    client.post(r#"{"resource":"r","ttl":30}"#).expect(201);
}

#[track_caller]
fn refusal(disk: &Disk) -> String {
    let storage = Storage::Blocking(Box::new(disk.open()));
    Server::open(storage, Options::default()).expect_err("it is refused").to_string()
}

#[test]
fn values_of_another_version_are_refused() {
    for (key, value) in values([0, 1]) {
        for version in [0, 1, VERSION - 1, VERSION + 1] {
            let disk = Disk::default();
            write(&disk, &values([0, 1]));
            write(&disk, &[(key, [&[version], &value[1..]].concat())]);
            let words = format!(
                "the store's entry {key:?} has version {version}, and this program reads version \
                 5: start the program that wrote it"
            );
            let error = refusal(&disk);
            assert!(error.starts_with(&words), "{error}");
        }
    }
}

#[test]
fn two_resources_of_one_number_are_damage() {
    let disk = Disk::default();
    write(&disk, &values([0, 0]));
    let error = refusal(&disk);
    assert!(error.contains("corrupt"), "{error}");
}
