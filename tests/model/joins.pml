/*
 * A job that runs when others have ended: a model of run_after, the ends of parents, firing and requeue.
 *
 * One child waits for two parents. Statements of one transaction are steps of their own here, since
 * what matters is what each of them sees: under READ COMMITTED that is what was committed when it
 * began, and a statement that waited for a lock does not look again at other tables. Locks are
 * variables; a step that needs one waits for it, or passes by (SKIP LOCKED) where the engine does.
 * The names in brackets are functions of db/migrations/engine/0008_joins.sql.
 *
 * Settings, given to spin with -D:
 *   FIRE     TWO statements: lock the waits row, then ask for edges; ONE statement that does both,
 *            with the snapshot from before it waited; BLIND does not ask for edges
 *   END      what removes the edges of a parent that ends: a TRIGGER, whose snapshot is taken when
 *            the row is locked; a CTE of the end, whose snapshot is older; SILENT is a trigger that
 *            notes nobody
 *   PARENTS  LOCKED by run_after until it commits, or UNLOCKED
 *   WAITS    the child's waits row: LOCKED by run_after until it commits, or UNLOCKED
 *   NOTES    of an earlier end of a parent that gets an edge again: CLEARED by run_after, or KEPT
 *   MISHAPS  how often a transaction rolls back. "The child runs" needs such a bound and is checked
 *            only with it; the other properties hold without.
 *   COVERAGE lets spin list each statement that was never reached, at a price
 *
 * Not in it: failed parents (when_failed), at_latest, and the sweep, which finds what no trigger saw
 * minutes later.
 */

#define TWO 1
#define ONE 2
#define BLIND 3
#define TRIGGER 1
#define CTE 2
#define SILENT 3
#define LOCKED 1
#define UNLOCKED 2
#define CLEARED 1
#define KEPT 2

#ifndef FIRE
#define FIRE TWO
#endif
#ifndef END
#define END TRIGGER
#endif
#ifndef PARENTS
#define PARENTS LOCKED
#endif
#ifndef WAITS
#define WAITS LOCKED
#endif
#ifndef NOTES
#define NOTES CLEARED
#endif

/* How often run_after is called, and how often each parent is run again. */
#define CALLS 2
#define REQUEUES 1

#ifdef MISHAPS
byte mishaps;
#define MISHAP mishaps < MISHAPS -> mishaps++
#else
#define MISHAP true
#endif

#ifdef COVERAGE
#define STEP atomic
#else
#define STEP d_step
#endif

/* The database, as far as it is committed. `notes`: rows of join_candidates, those with the name of
 * a parent counted besides. The child waits for parent 0 at first. */
bool over[2], edge[2];
byte notes, named[2];
bool fired;

/* Locks: of the child's waits row, and of the rows of the parents. */
bool child_locked;
bool parent_locked[2];

/* Not in the database: whether the parent has to end before the child may run. */
bool owed[2];

/* The properties, by the names that spin prints when they do not hold. */
bool never_early = true, fires_once = true, an_edge_holds = true;

inline end_of_step() {
  assert(never_early); assert(fires_once); assert(an_edge_holds)
}

/* [run_after] adds a parent while the child waits. */
proctype adder() {
  byte calls, p;
  bool open;
  do
  :: calls < CALLS ->
     if :: p = 0 :: p = 1 fi;
     /* [lock_wait] A child that has fired is an error. */
     if
     :: STEP { fired -> calls = CALLS }
     :: STEP { !fired && (WAITS == UNLOCKED || !child_locked) ->
          if :: WAITS == LOCKED -> child_locked = true :: else fi };
        /* [lock_parents] */
        STEP { PARENTS == UNLOCKED || !parent_locked[p] ->
          if :: PARENTS == LOCKED -> parent_locked[p] = true :: else fi;
          open = !over[p] };
        if
        :: STEP { open ->
             edge[p] = true; owed[p] = true; an_edge_holds = !fired;
             if
             :: NOTES == CLEARED -> notes = notes - named[p]; named[p] = 0
             :: else
             fi }
        :: STEP { !open }
        :: STEP { MISHAP }                                                /* rolls back */
        fi;
        STEP {
          if :: WAITS == LOCKED -> child_locked = false :: else fi;
          if :: PARENTS == LOCKED -> parent_locked[p] = false :: else fi;
          open = false; calls++; p = 0; end_of_step() }
     fi
  :: else -> break
  od
}

/* The end of a parent, and what removes its edges [on_parent_update, note_ends]. Its run is not
 * modelled: it ends at some time. */
proctype parent(byte p) {
  bool sees;
  byte requeues;
end_of_parent:                                         /* nothing is left to do for it */
  do
  :: !over[p] ->
     STEP { sees = edge[p] };                       /* what a CTE of the end sees */
     STEP { !parent_locked[p] -> parent_locked[p] = true };
     STEP { if :: END != CTE -> sees = edge[p] :: else fi };  /* what a trigger sees */
     if
     :: STEP { sees -> edge[p] = false;
          if :: END != SILENT -> notes++ :: else fi;
          over[p] = true; owed[p] = false }
     /* The edge is locked: it stays, and the note names the parent. */
     :: STEP { sees -> notes++; named[p]++; over[p] = true; owed[p] = false }
     :: STEP { !sees -> over[p] = true; owed[p] = false }
     :: STEP { MISHAP }                                                   /* rolls back */
     fi;
     STEP { sees = false; parent_locked[p] = false; end_of_step() }
  /* Somebody wants it run again. */
  :: STEP { over[p] && requeues < REQUEUES && !parent_locked[p] -> requeues++; over[p] = false }
  od
}

/* [fire_joins] reads only what ends have noted. What it deletes goes when it commits. */
proctype firer() {
  byte seen, m0, m1;
  bool left;
end_of_firer:
  do
  :: STEP { notes > 0 && !fired -> left = edge[0] || edge[1] };      /* what one statement sees */
     /* [lock_candidates] */
     if
     :: STEP { !child_locked -> child_locked = true };
        if
        :: STEP { !fired -> seen = notes; m0 = named[0]; m1 = named[1] };
           /* [fire_child] The edges that the notes name do not count. */
           STEP { if
             :: FIRE != ONE -> left = (edge[0] && m0 == 0) || (edge[1] && m1 == 0)
             :: else
             fi };
           if
           :: STEP { !left || FIRE == BLIND ->
                never_early = !owed[0] && !owed[1];
                fires_once = !fired;
                fired = true }
           :: STEP { left && FIRE != BLIND }
           :: STEP { MISHAP -> seen = 0; m0 = 0; m1 = 0 }                 /* rolls back */
           fi;
           STEP {
             if :: m0 > 0 -> edge[0] = false :: else fi;
             if :: m1 > 0 -> edge[1] = false :: else fi;
             notes = notes - seen; named[0] = named[0] - m0; named[1] = named[1] - m1 }
        :: STEP { fired -> skip }
        fi;
        STEP { seen = 0; left = false; m0 = 0; m1 = 0; child_locked = false; end_of_step() }
     :: STEP { FIRE != ONE && child_locked -> left = false }              /* SKIP LOCKED */
     fi
  od
}

init {
  atomic {
    edge[0] = true; owed[0] = true;
    run adder(); run parent(0); run parent(1); run firer(); run firer()
  }
}

#ifdef MISHAPS
ltl the_child_runs { <> fired }
#endif
