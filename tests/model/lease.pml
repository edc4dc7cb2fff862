/*
 * Who may write to a job: a model of claim, lease, heartbeat, ends, rescue, crash, release, cancel.
 *
 * One step of the model is one transaction of the engine; the name in brackets is its file in
 * db/queries. Whatever lies between two transactions of a worker (a handler that runs for long, a
 * pause, a slow network) is the freedom to let any other step come first. What happens inside of a
 * transaction is left to tests/isolation.
 *
 * Settings, given to spin with -D:
 *   GUARD    what a worker's write asks of the row of the job: BY_ID, BY_STATUS or BY_LEASE
 *   RESCUE   the same for the rescue; NEVER is an engine without one
 *   MISHAPS  how often something happens that costs no attempt: a release, a lost answer, a crash
 *            of the server. "Every job ends" needs such a bound and is checked only with it; the
 *            other properties hold without.
 *   MAX_ATTEMPTS   of each job; 2 if not set, so that there is a retry and a last attempt
 *   STEPS    how many new steps there are to store, of both jobs together; 0 if not set
 *   CHARGE   what a rescue charges: UNLESS_STEPPED, or NEVER
 *   ABSORB, ONE_OUTCOME, CHARGES   the properties to check; all three if none is named
 *   COVERAGE lets spin list each statement that was never reached, at a price
 *
 * Not in it: the line and the delayed jobs (whatever is queued can be claimed), and a requeue by a
 * person, which alone may take a job out of a terminal state.
 */

#define BY_ID 1
#define BY_STATUS 2
#define BY_LEASE 3
#define NEVER 4
#define UNLESS_STEPPED 5

#ifndef GUARD
#define GUARD BY_LEASE
#endif
#ifndef RESCUE
#define RESCUE BY_LEASE
#endif
#ifndef STEPS
#define STEPS 0
#endif
#ifndef CHARGE
#define CHARGE UNLESS_STEPPED
#endif
#if !defined(ABSORB) && !defined(ONE_OUTCOME) && !defined(CHARGES)
#define ABSORB
#define ONE_OUTCOME
#define CHARGES
#endif

#define WORKERS 2
#define JOBS 2
#ifndef MAX_ATTEMPTS
#define MAX_ATTEMPTS 2
#endif
/* A lease is drawn at random and never again. Only equality matters, so a number that no job and no
 * worker refers to is as good as one that was never used. When a worker claims, at most the other
 * job and the other worker refer to one. */
#define LEASES 3

mtype = { queued, processing, succeeded, failed, cancelled };

/* The database. cancel_asked: somebody asked to cancel the run under this lease. stepped: a new step
 * was stored since the claim. */
typedef job_row { mtype status = queued; byte lease; byte attempts; bool cancel_asked; bool stepped };
typedef lease_row { bool there; bool extended; bool durable; bool names[JOBS] };
job_row job[JOBS];
lease_row lease[LEASES + 1];

/* What a worker remembers of its claim. It does not know `settled`: that this claim of the job has
 * had its outcome already. */
mtype = { nothing, running, doubtful };
typedef memory { byte lease; bool claim_doubtful; mtype works[JOBS] = nothing; bool settled[JOBS] };
memory mine[WORKERS];

byte new_steps = STEPS;
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

#define ended(j) \
  (job[j].status == succeeded || job[j].status == failed || job[j].status == cancelled)

#define used(n) \
  (job[0].lease == n || job[1].lease == n || mine[0].lease == n || mine[1].lease == n)

#define asked_to_cancel(j, n) (job[j].cancel_asked && job[j].lease == n)

#define passes(guard, j, n) \
  (guard == BY_ID || (guard == BY_STATUS && job[j].status == processing) || \
   (guard == BY_LEASE && job[j].status == processing && job[j].lease == n))

/* The properties, by the names that spin prints when they do not hold. */
bool terminal_states_absorb = true, a_claim_has_one_outcome = true, attempts_are_bounded = true;

/* Scratch: zero between two steps. */
byte l, k;
bool accepted;

inline end_of_step() {
  l = 0; k = 0; accepted = false;
#ifdef ABSORB
  assert(terminal_states_absorb);
#endif
#ifdef ONE_OUTCOME
  assert(a_claim_has_one_outcome);
#endif
#ifdef CHARGES
  assert(attempts_are_bounded);
#endif
}

/* A commit that waits for the disk makes durable whatever was committed before it. */
inline flush() {
  for (k : 1 .. LEASES) { lease[k].durable = lease[k].there }
}

inline drop_lease(n) {
  lease[n].there = false; lease[n].extended = false; lease[n].durable = false;
  lease[n].names[0] = false; lease[n].names[1] = false
}

/* A write to job j in the name of lease n counts. */
inline note_outcome(j, n) {
  if :: ended(j) -> terminal_states_absorb = false :: else fi;
  for (k : 0 .. WORKERS - 1) {
    if
    :: mine[k].lease == n && mine[k].works[j] != nothing ->
       if :: mine[k].settled[j] -> a_claim_has_one_outcome = false :: else fi;
       mine[k].settled[j] = true
    :: else
    fi
  }
}

/* A job without a run needs no lease and no request. The engine leaves both in the row of a job
 * that has ended, where no write can pass them; here they would only multiply the states. */
inline clear(j) {
  job[j].lease = 0; job[j].cancel_asked = false; job[j].stepped = false
}

/* Charged one attempt: back in line, or at an end. A request to cancel goes before both. */
inline charge(j, n) {
  job[j].attempts++;
  if :: job[j].attempts > MAX_ATTEMPTS -> attempts_are_bounded = false :: else fi;
  if
  :: asked_to_cancel(j, n) -> job[j].status = cancelled
  :: !asked_to_cancel(j, n) && job[j].attempts >= MAX_ATTEMPTS -> job[j].status = failed
  :: else -> job[j].status = queued
  fi;
  clear(j)
}

inline forget(w, j) {
  mine[w].works[j] = nothing; mine[w].settled[j] = false;
  if :: mine[w].works[1 - j] == nothing -> mine[w].lease = 0 :: else fi
}

inline forget_all(w) {
  mine[w].claim_doubtful = false; mine[w].lease = 0;
  for (k : 0 .. JOBS - 1) { mine[w].works[k] = nothing; mine[w].settled[k] = false }
}

inline take(j) {
  job[j].status = processing; job[j].lease = l; lease[l].names[j] = true
}

/* [claim] one waiting job or both, under a new lease. It does not wait for the disk, and its answer
 * may be lost; then the worker knows no more than the lease that it drew. */
inline claim(w) {
  STEP {
    l = 1;
    do :: used(l) -> l++ :: else -> break od;
    assert(l <= LEASES);
    drop_lease(l);
    lease[l].there = true; lease[l].extended = true; mine[w].lease = l
  };
  if
  :: STEP { job[0].status == queued -> take(0) }
  :: STEP { job[1].status == queued -> take(1) }
  :: STEP { job[0].status == queued && job[1].status == queued -> take(0); take(1) }
  fi;
  if
  :: STEP { true ->
       if :: lease[l].names[0] -> mine[w].works[0] = running :: else fi;
       if :: lease[l].names[1] -> mine[w].works[1] = running :: else fi }
  :: STEP { MISHAP -> mine[w].claim_doubtful = true }
  fi
}

/* [abandon] what may have been taken by a claim whose answer was lost, uncharged. */
inline abandon(w) {
  l = mine[w].lease;
  if
  :: lease[l].there ->
     for (k : 0 .. JOBS - 1) {
       if
       :: lease[l].names[k] && passes(BY_LEASE, k, l) -> job[k].status = queued; clear(k)
       :: else
       fi
     };
     drop_lease(l)
  :: else
  fi;
  flush();
  forget_all(w)
}

/* The end of a run, in one transaction with the removal of the lease if this is the last run under
 * it. Its COMMIT or the answer to it may be lost. */
inline end(w, j) {
  STEP {
    l = mine[w].lease;
    if :: mine[w].works[1 - j] == nothing -> drop_lease(l) :: else fi;      /* [end_leases] */
    accepted = passes(GUARD, j, l);
    if :: accepted -> note_outcome(j, l) :: else fi;
    flush()
  };
  if
  :: STEP { accepted -> job[j].status = succeeded; clear(j) }             /* [succeed] */
  :: STEP { accepted -> charge(j, l) }                                    /* [fail] */
  :: STEP { accepted && asked_to_cancel(j, l) ->                          /* [end_cancelled] */
       job[j].status = cancelled; clear(j) }
  :: STEP { accepted && !asked_to_cancel(j, l) && MISHAP ->        /* [release] */
       job[j].status = queued; clear(j) }
  :: !accepted
  fi;
  if
  :: STEP { true -> forget(w, j) }
  :: STEP { MISHAP -> mine[w].works[j] = doubtful }
  fi
}

/* [store_steps] under the lease. It waits for the disk. */
inline step(w, j) {
  if
  :: passes(GUARD, j, mine[w].lease) -> new_steps--; job[j].stepped = true
  :: else
  fi;
  flush()
}

/* [reread] after an end whose answer was lost. */
inline reread(w, j) {
  if
  :: job[j].lease == mine[w].lease && job[j].status == processing -> mine[w].works[j] = running
  :: else -> forget(w, j)
  fi
}

proctype worker(byte w) {
  do
  :: atomic { mine[w].lease == 0 && (job[0].status == queued || job[1].status == queued) ->
       claim(w); end_of_step() }
  :: STEP { mine[w].claim_doubtful -> abandon(w); end_of_step() }
  :: atomic { mine[w].works[0] == running -> end(w, 0); end_of_step() }
  :: atomic { mine[w].works[1] == running -> end(w, 1); end_of_step() }
  :: STEP { mine[w].works[0] == running && new_steps > 0 -> step(w, 0); end_of_step() }
  :: STEP { mine[w].works[1] == running && new_steps > 0 -> step(w, 1); end_of_step() }
  /* The COMMIT of an end never arrives. */
  :: STEP { mine[w].works[0] == running && MISHAP -> mine[w].works[0] = doubtful }
  :: STEP { mine[w].works[1] == running && MISHAP -> mine[w].works[1] = doubtful }
  :: STEP { mine[w].works[0] == doubtful -> reread(w, 0) }
  :: STEP { mine[w].works[1] == doubtful -> reread(w, 1) }
  /* Killed, and started again without a memory. */
  :: STEP { mine[w].lease != 0 -> forget_all(w); end_of_step() }
  od
}

/* [heartbeat], on a connection of its own. A lease that is gone is lost: its handlers stop. */
proctype keeper(byte w) {
  do
  :: STEP { mine[w].lease != 0 && !mine[w].claim_doubtful ->
       l = mine[w].lease;
       if
       :: lease[l].there -> lease[l].extended = true
       :: else ->
          if :: mine[w].works[0] == running -> forget(w, 0) :: else fi;
          if :: mine[w].works[1] == running -> forget(w, 1) :: else fi
       fi;
       flush(); end_of_step() }
  od
}

inline rescue(j) {
  if
  :: lease[l].names[j] && passes(RESCUE, j, l) ->
     note_outcome(j, l);
     if
     :: job[j].stepped || CHARGE == NEVER ->
        if :: asked_to_cancel(j, l) -> job[j].status = cancelled :: else -> job[j].status = queued fi;
        clear(j)
     :: else -> charge(j, l)
     fi
  :: else
  fi
}

/* [rescue] by any worker that lives. A lease that was not extended while its time passed has
 * expired; what is still processing under it goes back, charged unless it stored a new step. */
proctype rescuer() {
  do
  :: STEP {                                                               /* time passes */
       for (l : 1 .. LEASES) { lease[l].extended = false };
       end_of_step() };
     STEP {
       for (l : 1 .. LEASES) {
         if
         :: RESCUE != NEVER && lease[l].there && !lease[l].extended -> rescue(0); rescue(1);
            drop_lease(l)
         :: else
         fi
       };
       flush(); end_of_step() }
  od
}

/* [cancel] ends a waiting job at once; of a running one it is asked, under its lease. */
inline ask_to_cancel(j) {
  if
  :: job[j].status == queued -> job[j].status = cancelled
  :: job[j].status == processing -> job[j].cancel_asked = true
  :: else
  fi
}

inline undo_claim(j) {
  if
  :: lease[l].names[j] -> note_outcome(j, l); job[j].status = queued; clear(j)
  :: else
  fi
}

/* Claims that had not reached the disk have not happened; their workers do not know it. */
inline crash_server() {
  for (l : 1 .. LEASES) {
    if
    :: lease[l].there && !lease[l].durable -> undo_claim(0); undo_claim(1); drop_lease(l)
    :: else
    fi
  }
}

/* What may happen at any time, or never. */
proctype world() {
  do
  :: STEP { true -> ask_to_cancel(0); flush(); end_of_step() }
  :: STEP { true -> ask_to_cancel(1); flush(); end_of_step() }
  :: STEP { flush(); end_of_step() }
  :: STEP { MISHAP -> crash_server(); end_of_step() }
  od
}

init {
  atomic {
    run worker(0); run worker(1); run keeper(0); run keeper(1); run rescuer(); run world()
  }
}

#ifdef MISHAPS
ltl every_job_ends { <> (ended(0) && ended(1)) }
#endif
