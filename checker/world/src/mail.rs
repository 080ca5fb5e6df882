//! Messages one way: in order or not, lossy or not, once or more than once, with a capacity.

use crate::link::{Chance, Link, LinkFault, LinkOffer, LinkOp, Mail};
use crate::system::System;
use crate::value::Ordered;

/// What may happen to messages in flight, in a fixed order.
pub(crate) fn offers(
    system: &dyn System,
    link: &Link,
    mail: Mail,
    messages: &[Ordered],
) -> Vec<LinkOffer> {
    let mut offers = Vec::new();
    let reachable = if mail.is_ordered { 1 } else { messages.len() };
    for (place, message) in (0u8..).zip(messages.iter().take(reachable)) {
        if place > 0 && messages[usize::from(place) - 1] == *message {
            continue;
        }
        let delivers = Some((link.from, link.to, message.clone()));
        offers.push(LinkOffer { op: LinkOp::Take(place), delivers: delivers.clone(), fault: None });
        if mail.duplication == Chance::Budgeted && !system.comes_once(message) {
            let fault = Some(LinkFault::Duplicate);
            offers.push(LinkOffer { op: LinkOp::Double(place), delivers, fault });
        }
        if mail.loss != Chance::Never {
            let fault = (mail.loss == Chance::Budgeted).then_some(LinkFault::LostMessage);
            offers.push(LinkOffer { op: LinkOp::Lose(place), delivers: None, fault });
        }
    }
    offers
}

/// Changes what is in flight; false where a message found no room.
pub(crate) fn operate(mail: Mail, messages: &mut Vec<Ordered>, op: &LinkOp) -> bool {
    match op {
        LinkOp::Push(message) => {
            let place = if mail.is_ordered {
                messages.len()
            } else {
                match messages.binary_search(message) {
                    Ok(_) if mail.duplication == Chance::Free => return true,
                    Ok(place) | Err(place) => place,
                }
            };
            let fits = messages.len() < usize::from(mail.capacity);
            if fits {
                messages.insert(place, message.clone());
            }
            return fits;
        }
        LinkOp::Take(place) if mail.duplication != Chance::Free => {
            messages.remove(usize::from(*place));
        }
        LinkOp::Lose(place) => {
            messages.remove(usize::from(*place));
        }
        LinkOp::Take(_)
        | LinkOp::Double(_)
        | LinkOp::Answer(_)
        | LinkOp::Fail(_)
        | LinkOp::Refuse(_)
        | LinkOp::Delay(_)
        | LinkOp::Overtake
        | LinkOp::Lapse(_)
        | LinkOp::CallerGone
        | LinkOp::ServerGone
        | LinkOp::Becomes(_)
        | LinkOp::Cut
        | LinkOp::Tear
        | LinkOp::Mend => {}
    }
    true
}
