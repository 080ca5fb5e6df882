/* The world `small` of buffer.yaml by hand, for Spin: the same states, without reductions.
 * checker/tests/examples.rs compares the verdicts and the counts. */
byte produced;
byte consumed;
chan items = [2] of { bit };
chan thanks = [1] of { bit };

#define two_are_never_lost (produced < 4 || consumed >= 2 || nempty(items))

active proctype steps() {
  do
  /* The link is full: the step waits. */
  :: d_step { produced < 4 && nfull(items) -> produced++; items!1 }
  :: d_step { nempty(items) && nfull(thanks) -> items?1; consumed++; thanks!1 }
  :: d_step { nempty(thanks) -> thanks?1 }
  od
}

active proctype monitor() {
  d_step { !two_are_never_lost -> assert(false) }
}
