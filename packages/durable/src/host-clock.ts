// The clock of this process is compared and watched here, and its time is not used.
const hostDate: { now: () => number } = Date;

/**
 * True if a clock reads the time of this process, which is another one in a replay. An engine that replaces `Date` for
 * its workflows, as Temporal's sandbox does, has made it part of the replay: its clock is not the host's.
 */
export function readsHostClock(clock: () => number): boolean {
  const host = hostDate.now;
  if (!/\[native code\]/.test(Function.prototype.toString.call(host))) return false;
  if (clock === host) return true;
  let asked = false;
  try {
    // Nothing else runs until it is put back: a clock answers without waiting.
    hostDate.now = () => {
      asked = true;
      return host();
    };
    clock();
  } catch {
    // A clock that fails, or a Date that is frozen: the caller reads the clock and finds out.
  } finally {
    restore(host);
  }
  return asked;
}

function restore(host: () => number): void {
  try {
    hostDate.now = host;
  } catch {
    // Frozen, so it was never replaced.
  }
}
