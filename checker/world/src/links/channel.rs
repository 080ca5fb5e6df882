//! Channels: messages one way, ordered or not, lossy or not, duplicating or not, with a capacity.

use crate::links::link::{ChannelOptions, EnabledLinkOp, Link, LinkFault, LinkOp, Occurrence};
use crate::system::System;
use crate::value::Ordered;

/// The deliveries and faults enabled on messages in flight, in a fixed order.
pub(crate) fn enabled(
    system: &dyn System,
    link: &Link,
    options: ChannelOptions,
    messages: &[Ordered],
) -> Vec<EnabledLinkOp> {
    let mut enabled = Vec::new();
    let reachable = if options.is_ordered { 1 } else { messages.len() };
    for (place, message) in (0u8..).zip(messages.iter().take(reachable)) {
        if place > 0 && messages[usize::from(place) - 1] == *message {
            continue;
        }
        let delivers = Some((link.from, link.to, message.clone()));
        enabled.push(EnabledLinkOp {
            op: LinkOp::Take(place),
            delivers: delivers.clone(),
            fault: None,
        });
        if options.duplication == Occurrence::Budgeted && !system.comes_once(message) {
            let fault = Some(LinkFault::Duplicate);
            enabled.push(EnabledLinkOp { op: LinkOp::Double(place), delivers, fault });
        }
        if options.loss != Occurrence::Never {
            let fault = (options.loss == Occurrence::Budgeted).then_some(LinkFault::LostMessage);
            enabled.push(EnabledLinkOp { op: LinkOp::Lose(place), delivers: None, fault });
        }
    }
    enabled
}

/// Applies an operation to the messages in flight; false if the capacity is exceeded.
pub(crate) fn operate(options: ChannelOptions, messages: &mut Vec<Ordered>, op: &LinkOp) -> bool {
    match op {
        LinkOp::Push(message) => {
            let place = if options.is_ordered {
                messages.len()
            } else {
                match messages.binary_search(message) {
                    Ok(_) if options.duplication == Occurrence::Unbounded => return true,
                    Ok(place) | Err(place) => place,
                }
            };
            let fits = messages.len() < usize::from(options.capacity);
            if fits {
                messages.insert(place, message.clone());
            }
            return fits;
        }
        LinkOp::Take(place) if options.duplication != Occurrence::Unbounded => {
            messages.remove(usize::from(*place));
        }
        LinkOp::Lose(place) => {
            messages.remove(usize::from(*place));
        }
        LinkOp::Take(_)
        | LinkOp::Double(_)
        | LinkOp::Evaluation(_)
        | LinkOp::Fail(_)
        | LinkOp::Refuse(_)
        | LinkOp::Delay(_)
        | LinkOp::Overtake
        | LinkOp::Expire(_)
        | LinkOp::CallerGone
        | LinkOp::ServerGone
        | LinkOp::SetStatus(_)
        | LinkOp::Partition
        | LinkOp::Disconnect
        | LinkOp::Heal => {}
    }
    true
}
