import { describe, expect, it } from "vitest";
import { latch, scripted, type ScriptedOptions } from "../__fixtures__/scripted-conversation.ts";
import { defineAgent } from "../agents/agent.ts";
import { agentFinished, leaseChanged, routingCorrected } from "../conversation/conversation-events.ts";
import type { ConversationPhase } from "../conversation/conversation-options.ts";
import type { LeaseStore } from "./lease-store.ts";
import { createMemoryLeaseStore } from "./memory-lease-store.ts";
import type { ExclusivePhases } from "./phase-lease.ts";
import { recoverConversation } from "../conversation/recover-conversation.ts";

const at = (phase: string) => ({ agents: ["executor"], phase, reason: `to ${phase}` });

/** Conversations on one project, each with a log and a time of its own that runs alike. */
function project(options: Partial<ExclusivePhases<ConversationPhase>> = {}) {
  let now = 1000;
  const store = createMemoryLeaseStore({ clock: () => now });
  const join = (id: string, more: ScriptedOptions<ConversationPhase> = {}) =>
    scripted({
      id,
      exclusive: { phases: ["execute", "verification"], store, resource: "project", ...options },
      ...more,
    });
  return {
    store,
    join,
    elapse: (ms: number) => {
      now += ms;
    },
  };
}

describe("an exclusive phase", () => {
  it("a lease is acquired on entry, kept between exclusive phases and released on leaving", async () => {
    const { join, store } = project();
    const holders: (string | undefined)[] = [];
    const { conversation, dataOf } = join("a", {
      decisions: [at("execute"), at("verification"), at("chores"), at("reflection")],
      work: {
        executor: async ({ lease, phase }) => {
          holders.push(
            (await store.status("project")).lease?.holder,
            lease === undefined ? undefined : `fence ${String(lease.fence)}`,
          );
          return phase;
        },
      },
    });
    expect(await conversation.send("Add it")).toMatchObject({ outcome: { reason: "done" } });
    expect(holders).toEqual(["a", "fence 1", "a", "fence 1", undefined, undefined, undefined, undefined]);
    expect(dataOf(leaseChanged).map(({ status, phase, why }) => [status, phase, why])).toEqual([
      ["granted", "execute", undefined],
      ["released", "verification", "to chores"],
    ]);
  });

  it("a second conversation waits for an exclusive phase, keeps its phase and continues later", async () => {
    const { join, store } = project();
    const gate = latch();
    const one = join("a", {
      decisions: [at("execute"), at("chat")],
      work: {
        executor: async ({ phase }) => {
          if (phase === "execute") await gate.promise;
          return phase;
        },
      },
    });
    const first = one.conversation.send("first");
    await one.time.settle();
    const two = join("b", { decisions: [at("execute"), at("execute"), at("execute"), at("execute")] });
    expect(await two.conversation.send("second")).toMatchObject({
      status: "queued",
      phase: "chat",
      queue: { position: 1, holder: "a" },
    });
    expect(two.requests[1]?.feedback?.split(/(?<=\.) /)).toMatchInlineSnapshot(`
      [
        "The phase "execute" is held by conversation "a".",
        "This conversation is number 1 in the queue; the wait is about 30 min.",
      ]
    `);
    expect(two.dataOf(leaseChanged)).toMatchObject([{ status: "queued", position: 1, holder: "a" }]);
    expect(two.dataOf(routingCorrected).map(({ why }) => why)).toEqual(["queued", "queued", "queued"]);
    gate.open();
    await first;
    expect((await store.status("project")).lease?.holder).toBe("b");
    const going = await two.conversation.proceed();
    expect(going.queue).toBeUndefined();
    expect(two.of("phase.transition")[0]).toMatchObject({ from: "chat", to: "execute" });
  });

  it("patienceMs makes a conversation wait in the queue", async () => {
    const { join, elapse, store } = project({ patienceMs: 10_000, pollMs: 500 });
    await store.acquire({ resource: "project", holder: "other", ttlMs: 2000, maxHoldMs: 2000 });
    const { conversation, time, of } = join("a", { decisions: [at("execute")] });
    const sent = conversation.send("go");
    await time.advance(1500);
    expect(conversation.phase).toBe("chat");
    elapse(2000);
    await time.advance(500);
    expect(of("phase.transition")[0]).toMatchObject({ to: "execute" });
    await time.advance(100_000);
    await sent;
  });

  it("a move that the graph refuses needs no lease", async () => {
    const { join, store } = project();
    const { conversation } = join("a", { decisions: [at("verification"), { agents: ["END"], reason: "no" }] });
    await conversation.send("go");
    expect(await store.status("project")).toEqual({ lease: undefined, queue: [] });
  });

  it("a lease is renewed while the conversation lives, until maxHoldMs", async () => {
    const { join, elapse, store } = project({ ttlMs: 3000, maxHoldMs: 60_000, warnMs: 10_000 });
    const { conversation, time, dataOf, contexts } = join("a", {
      decisions: [at("execute")],
      roundTimeoutMs: 1_000_000,
      work: {
        executor: ({ signal }) =>
          new Promise((resolve) => {
            signal.addEventListener("abort", () => resolve("stopped"));
          }),
      },
    });
    const sent = conversation.send("go");
    const pass = async (ms: number) => {
      for (let done = 0; done < ms; done += 500) {
        elapse(500);
        await time.advance(500);
      }
    };
    await pass(50_000);
    expect((await store.status("project")).lease?.holder).toBe("a");
    expect(dataOf(leaseChanged).map(({ status }) => status)).toEqual(["granted"]);
    await pass(8000);
    expect(dataOf(leaseChanged).map(({ status }) => status)).toEqual(["granted", "expiring"]);
    expect(contexts[0]?.signal.aborted).toBe(false);
    // Another one waits, so that it is gone for good.
    await store.acquire({ resource: "project", holder: "b", ttlMs: 600_000, maxHoldMs: 600_000 });
    await pass(4000);
    expect(dataOf(leaseChanged).map(({ status }) => status)).toEqual(["granted", "expiring", "lost", "queued"]);
    expect(dataOf(agentFinished)).toMatchObject([{ outcome: "cancelled" }]);
    expect(await sent).toMatchObject({ status: "queued", phase: "execute" });
  });

  it("a lease survives a short outage of the store, but not a long one", async () => {
    const { join, elapse, store } = project();
    let down = false;
    const flaky: LeaseStore = {
      ...store,
      renew: (claim) => (down ? Promise.reject(new Error("down")) : store.renew(claim)),
    };
    const { conversation, time, dataOf } = join("a", {
      exclusive: { phases: ["execute"], store: flaky, resource: "project", ttlMs: 3000 },
      decisions: [at("execute")],
      work: { executor: () => new Promise(() => undefined) },
    });
    void conversation.send("go");
    const pass = async (ms: number) => {
      for (let done = 0; done < ms; done += 500) {
        elapse(500);
        await time.advance(500);
      }
    };
    await pass(2000);
    down = true;
    await pass(1000);
    down = false;
    await pass(5000);
    expect(dataOf(leaseChanged).map(({ status }) => status)).toEqual(["granted"]);
    down = true;
    await pass(5000);
    expect(dataOf(leaseChanged).map(({ status }) => status)).toContain("lost");
    const cancelled = conversation.cancel();
    await pass(5000);
    expect(await cancelled).toMatchObject({ status: "ended" });
  });

  it("a lease is released when the conversation ends or is cancelled", async () => {
    const { join, store } = project();
    const { conversation, time } = join("a", {
      decisions: [at("execute")],
      graceMs: 10,
      work: { executor: () => new Promise(() => undefined) },
    });
    const sent = conversation.send("go");
    await time.settle();
    expect((await store.status("project")).lease?.holder).toBe("a");
    const cancelled = conversation.cancel();
    await time.advance(1000);
    await cancelled;
    await sent;
    expect((await store.status("project")).lease).toBeUndefined();
    expect(time.waiting()).toBe(0);
  });

  it("a recovered conversation takes the lease over with a new fence, and the old process notices", async () => {
    const { join, store, elapse } = project({ ttlMs: 3000 });
    const zombie = join("a", {
      decisions: [at("execute")],
      graceMs: 10,
      work: {
        executor: ({ signal }) =>
          new Promise((resolve) => {
            signal.addEventListener("abort", () => resolve("stopped"));
          }),
      },
    });
    void zombie.conversation.send("go");
    await zombie.time.settle();
    const fences: unknown[] = [];
    const { conversation: again } = recoverConversation(JSON.parse(JSON.stringify(zombie.log)) as unknown[], {
      id: "a",
      exclusive: { phases: ["execute"], store, resource: "project", ttlMs: 3000 },
      schedule: () => () => undefined,
      agents: [
        defineAgent({
          name: "executor",
          work: ({ lease }) => {
            fences.push(lease?.fence);
            return { text: "?", question: "?" };
          },
        }),
      ],
      router: () => "?",
    });
    await again.proceed();
    expect(fences).toEqual([2]);
    elapse(1000);
    await zombie.time.advance(1000);
    expect(zombie.dataOf(leaseChanged).map(({ status }) => status)).toContain("lost");
    expect(zombie.contexts[0]?.signal.aborted).toBe(true);
  });

  it("a new request whose first phase is exclusive waits before the first round", async () => {
    const { join, store } = project();
    const held = await store.acquire({ resource: "project", holder: "other", ttlMs: 1e6, maxHoldMs: 1e6 });
    const { conversation, requests, contexts } = join("a", {
      initialPhase: () => ({ phase: "execute", reason: "clear" }),
      decisions: [{ agents: ["executor"], reason: "go" }],
    });
    expect(await conversation.send("Add it")).toMatchObject({ status: "queued", phase: "chat" });
    expect(requests).toEqual([]);
    if (held.status === "granted") await store.release(held.lease);
    await conversation.proceed();
    expect(contexts[0]).toMatchObject({ phase: "execute" });
  });
});
