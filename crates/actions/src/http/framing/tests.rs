use proptest::prelude::*;

use super::*;

/// Feeds bytes in pieces of these lengths; gives the body, what is left over and the last step.
fn feed(mut framing: Framing, bytes: &[u8], lengths: &[usize]) -> Result<(Vec<u8>, Vec<u8>, Step), &'static str> {
    let (mut buffer, mut body, mut rest, mut step) = (BytesMut::new(), Vec::new(), bytes, Step::More);
    let mut lengths = lengths.iter().copied().chain(std::iter::repeat(usize::MAX));
    while step == Step::More && !(rest.is_empty() && buffer.is_empty() && body.len() > bytes.len()) {
        let (piece, later) = rest.split_at(lengths.next().unwrap_or(1).clamp(1, rest.len().max(1)).min(rest.len()));
        buffer.extend_from_slice(piece);
        rest = later;
        step = framing.feed(&mut buffer, &mut |piece| {
            body.extend_from_slice(piece);
            true
        })?;
        if rest.is_empty() {
            break;
        }
    }
    buffer.extend_from_slice(rest);
    Ok((body, buffer.to_vec(), step))
}

proptest! {
    #[test]
    fn chunks_come_out_as_they_went_in(
        chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..50), 0..10),
        lengths in prop::collection::vec(1_usize..20, 0..200),
        after in prop::collection::vec(any::<u8>(), 0..5),
    ) {
        let mut bytes = Vec::new();
        for chunk in &chunks {
            bytes.extend(format!("{:X};x=y\r\n", chunk.len()).into_bytes());
            bytes.extend_from_slice(chunk);
            bytes.extend_from_slice(b"\r\n");
        }
        bytes.extend_from_slice(b"0\r\nTrailer: 1\r\n\r\n");
        bytes.extend_from_slice(&after);
        prop_assert_eq!(feed(Framing::chunked(), &bytes, &lengths), Ok((chunks.concat(), after, Step::Complete)));
    }

    #[test]
    fn nonsense_is_no_panic(bytes in prop::collection::vec(prop::sample::select(b"0aF;\r\n x".to_vec()), 0..60)) {
        let _ = feed(Framing::chunked(), &bytes, &[3, 1, 7]);
    }
}

#[test]
fn lengths() {
    assert_eq!(feed(Framing::Length(3), b"abcdef", &[2]), Ok((b"abc".to_vec(), b"def".to_vec(), Step::Complete)));
    assert_eq!(feed(Framing::Length(9), b"abc", &[]), Ok((b"abc".to_vec(), Vec::new(), Step::More)));
    assert_eq!(feed(Framing::Length(0), b"", &[]), Ok((Vec::new(), Vec::new(), Step::Complete)));
    assert_eq!(feed(Framing::UntilClose, b"abc", &[1]), Ok((b"abc".to_vec(), Vec::new(), Step::More)));
}

#[test]
fn endless_lines() {
    let long = vec![b'1'; 10_000];
    assert_eq!(feed(Framing::chunked(), &long, &[]), Err("the line with the size of a chunk is too long"));
    let trailers = [b"0\r\n".to_vec(), b"a: b\r\n".repeat(5000)].concat();
    assert_eq!(feed(Framing::chunked(), &trailers, &[]), Err("its trailers are too long"));
    assert!(feed(Framing::chunked(), b"ffffffffffffffffff\r\n", &[]).is_err());
}
