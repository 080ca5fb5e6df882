/* The world `small` of post.yaml by hand, for Spin: the same states, without reductions, and one
 * more, in which the clerk has not begun. checker/tests/examples.rs compares verdicts and counts. */
#define desk 0
#define night 1
#define shelf 2
#define stamped 3

byte clerk;
byte parcels;
byte orders = 3;
bool waiting[2];
chan parcel0 = [1] of { bit };
chan parcel1 = [1] of { bit };
chan thanks0 = [2] of { bit };
chan thanks1 = [2] of { bit };

#define a_full_shelf_is_emptied (!(clerk == shelf && parcels > 1))

/* A link that is full drops the message. */
inline thank(link) {
  if
  :: nfull(link) -> link!1
  :: full(link)
  fi
}

/* A parcel is weighed, and the rows without an event follow in the same step. */
inline weigh(link) {
  parcels++;
  if
  :: if
     :: parcels >= 2 -> thank(link); parcels = 0; clerk = stamped
     :: else -> clerk = shelf
     fi
  :: thank(link); clerk = stamped
  fi
}

active proctype steps() {
  atomic { if :: clerk = desk :: clerk = night fi }
  do
  :: atomic { orders > 0 && !waiting[0] -> orders--; waiting[0] = true; parcel0!1 }
  :: atomic { orders > 0 && !waiting[1] -> orders--; waiting[1] = true; parcel1!1 }
  :: atomic { nempty(parcel0) -> parcel0?1; weigh(thanks0) }
  :: atomic { nempty(parcel1) -> parcel1?1; weigh(thanks1) }
  :: atomic { nempty(thanks0) -> thanks0?1; waiting[0] = false }
  :: atomic { nempty(thanks1) -> thanks1?1; waiting[1] = false }
  :: atomic { clerk != desk -> clerk = desk; parcels = 0 }
  od
}

active proctype monitor() {
  d_step { !a_full_shelf_is_emptied -> assert(false) }
}
