import type { Writable } from "node:stream";
import type { FeedFollower } from "./run-feed.ts";

/** An empty line now and then: a broken connection is noticed, and the page skips it. */
const HEARTBEAT_MS = 15_000;

/**
 * Sends the pieces of a feed as fast as the other side reads them, and ends with it. For a side that does not read, no
 * more than one piece waits.
 */
export async function sendFeed(response: Writable, follower: FeedFollower): Promise<void> {
  const heartbeat = setInterval(() => {
    if (!response.writableNeedDrain) response.write("\n");
  }, HEARTBEAT_MS);
  response.once("close", () => {
    clearInterval(heartbeat);
    follower.leave();
  });
  for (let chunk = await follower.next(); chunk !== undefined; chunk = await follower.next())
    if (!response.write(chunk.bytes)) await drained(response);
  response.end();
}

/** Waits until there is room again, or the other side is gone. */
function drained(response: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    if (response.closed || !response.writableNeedDrain) resolve();
    else response.on("drain", done).on("close", done);
  });
}
