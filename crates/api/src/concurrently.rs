//! Several futures at once, in one task.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

/// Waits for all futures, of which at most `width` are under way, and gives what came of them in their order.
///
/// Each time one of them can go on, all that are under way are asked; so `width` should be small.
pub(crate) async fn concurrently<F: Future>(futures: Vec<F>, width: usize) -> Vec<F::Output> {
    let mut done: Vec<Option<F::Output>> = futures.iter().map(|_| None).collect();
    let mut waiting = futures.into_iter().enumerate();
    let mut under_way: Vec<(usize, Pin<Box<F>>)> = Vec::with_capacity(width);
    poll_fn(|context| {
        loop {
            let room = width.max(1) - under_way.len();
            under_way.extend(waiting.by_ref().take(room).map(|(at, future)| (at, Box::pin(future))));
            let before = under_way.len();
            under_way.retain_mut(|(at, future)| match future.as_mut().poll(context) {
                Poll::Ready(output) => {
                    done[*at] = Some(output);
                    false
                }
                Poll::Pending => true,
            });
            // What takes the place of one that has ended was not asked yet.
            if under_way.is_empty() && waiting.len() == 0 {
                return Poll::Ready(());
            }
            if under_way.len() == before {
                return Poll::Pending;
            }
        }
    })
    .await;
    done.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::concurrently;

    #[tokio::test]
    async fn all_are_answered_in_their_order_and_few_are_under_way() {
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let one = |number: usize| {
            let (now, most) = (&now, &most);
            async move {
                most.fetch_max(now.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
                for _ in 0..number % 5 {
                    tokio::task::yield_now().await;
                }
                now.fetch_sub(1, Ordering::Relaxed);
                number
            }
        };
        let answers = concurrently((0..100).map(one).collect(), 8).await;
        assert_eq!(answers, (0..100).collect::<Vec<_>>());
        let most = most.load(Ordering::Relaxed);
        assert!((2..=8).contains(&most), "{most}");
        assert!(concurrently((0..0).map(one).collect(), 8).await.is_empty());
    }
}
