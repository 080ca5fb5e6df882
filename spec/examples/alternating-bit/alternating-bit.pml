/* The world `loss` of alternating-bit.yaml by hand, for Spin: the same states, without reductions.
 * checker/tests/examples.rs compares the verdicts and the counts. */
byte sender;   /* 0 ready 0, 1 waiting 0, 2 ready 1, 3 waiting 1 */
byte receiver; /* 0 expecting 0, 1 expecting 1 */
chan data = [3] of { byte };
chan ack = [3] of { byte };
hidden byte which;

#define acknowledged_implies_delivered (sender != 2 || receiver == 1)

active proctype steps() {
  do
  :: d_step { sender == 0 -> sender = 1; data!0 }
  :: d_step { sender == 2 -> sender = 3; data!1 }
  /* The timer fires after every message. */
  :: d_step { sender == 1 && empty(data) && empty(ack) -> data!0 }
  :: d_step { sender == 3 && empty(data) && empty(ack) -> data!1 }
  :: d_step { nempty(data) -> data?which;
       if
       :: which == receiver -> receiver = 1 - receiver
       :: else -> skip
       fi;
       ack!which; which = 0 }
  :: d_step { nempty(ack) -> ack?which;
       if
       :: sender == 1 && which == 0 -> sender = 2
       :: sender == 3 && which == 1 -> sender = 0
       :: else -> skip
       fi;
       which = 0 }
  :: d_step { nempty(data) -> data?which; which = 0 } /* lost */
  :: d_step { nempty(ack) -> ack?which; which = 0 }   /* lost */
  od
}

active proctype monitor() {
  d_step { !acknowledged_implies_delivered -> assert(false) }
}
