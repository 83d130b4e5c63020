import { isPhasekitError, type RunEvent } from "@phasekit/core";
import { storeUnreadable } from "../errors.ts";
import type { LogFollower } from "./follow-log.ts";

interface FollowPlace {
  /** Called after each append of this process. */
  readonly waiting: Set<() => void>;
  /** How often to look for what other processes appended, in milliseconds. */
  readonly pollMs: number;
  /** The folder of the run, to name it in an error. */
  readonly root: string;
}

/** Gives what a follower finds, and waits for more, until the log is gone or the reader stops. */
export function followAppends(
  follower: LogFollower,
  { waiting, pollMs, root }: FollowPlace,
): AsyncIterator<readonly RunEvent[]> {
  let open = true;
  let stop: (() => void) | undefined;

  function wait(): Promise<void> {
    return new Promise((done) => {
      const end = (): void => {
        clearTimeout(timer);
        waiting.delete(end);
        done();
      };
      const timer = setTimeout(end, pollMs);
      waiting.add(end);
      stop = end;
    });
  }

  function read(): ReturnType<LogFollower["next"]> {
    try {
      return follower.next();
    } catch (error) {
      throw isPhasekitError(error) ? error : storeUnreadable(root, error);
    }
  }

  return {
    next: async () => {
      while (open) {
        const value = read();
        if (value === "gone") break;
        if (value !== undefined) return { done: false, value };
        await wait();
      }
      open = false;
      return { done: true, value: undefined };
    },
    return: () => {
      open = false;
      stop?.();
      return Promise.resolve({ done: true, value: undefined });
    },
  };
}
