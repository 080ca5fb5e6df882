/* The world `broken connections` of mqtt-qos2.yaml by hand, for Spin: the same states, without
 * reductions. checker/tests/examples.rs compares the verdicts and the counts. */
mtype = { PUBLISH, PUBREL, PUBREC, PUBCOMP };
byte publisher; /* 0 idle, 1 awaiting PUBREC, 2 awaiting PUBCOMP */
byte sent;
byte receiver;  /* 0 identifier free, 1 identifier stored */
byte delivered;
byte publish = 2, reconnect = 3, loss = 3; /* what is left of each budget */
chan there = [4] of { mtype };
chan back = [4] of { mtype };
hidden mtype packet;

#define at_most_once  (delivered <= sent)
#define at_least_once (publisher != 0 || delivered == sent)

active proctype steps() {
  do
  :: d_step { publish > 0 && publisher == 0 -> publish--;
       publisher = 1; sent++; there!PUBLISH }
  :: d_step { reconnect > 0 && publisher != 0 -> reconnect--;
       if
       :: publisher == 1 -> there!PUBLISH
       :: publisher == 2 -> there!PUBREL
       fi }
  :: d_step { nempty(there) -> there?packet;
       if
       :: packet == PUBLISH && receiver == 0 -> receiver = 1; delivered++; back!PUBREC
       :: packet == PUBLISH && receiver == 1 -> back!PUBREC
       :: packet == PUBREL -> receiver = 0; back!PUBCOMP
       fi;
       packet = 0 }
  :: d_step { nempty(back) -> back?packet;
       if
       :: packet == PUBREC && publisher == 1 -> publisher = 2; there!PUBREL
       :: packet == PUBCOMP && publisher == 2 -> publisher = 0
       :: else -> skip
       fi;
       packet = 0 }
  :: d_step { loss > 0 && nempty(there) -> there?packet; loss--; packet = 0 }
  :: d_step { loss > 0 && nempty(back) -> back?packet; loss--; packet = 0 }
  od
}

active proctype monitor() {
  d_step { !(at_most_once && at_least_once) -> assert(false) }
}
