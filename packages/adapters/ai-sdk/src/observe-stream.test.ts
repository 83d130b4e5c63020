import { createRun, definePolicy, type RunEvent, type RunPort } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { observeStream, type ReadableParts } from "./observe-stream.ts";

const usage = { inputTokens: { total: 5 }, outputTokens: { total: 2 } };
const textDelta = (delta: string) => ({ type: "text-delta", id: "0", delta });
const call = (toolCallId: string, more: object = {}) => ({
  type: "tool-call",
  toolCallId,
  toolName: "look",
  input: "{}",
  ...more,
});
const finish = { type: "finish", finishReason: { unified: "tool-calls" }, usage };

interface Source {
  readonly stream: ReadableParts;
  /** Why it was aborted, if it was. */
  readonly cancelled: () => unknown;
}

/** A stream of a model. With an error, it breaks at the end. */
function sourceOf(parts: readonly unknown[], breaks?: Error): Source {
  let cancelled: unknown;
  const left = [...parts];
  const stream = new ReadableStream({
    pull: (controller) => {
      if (left.length > 0) controller.enqueue(left.shift());
      else if (breaks === undefined) controller.close();
      else controller.error(breaks);
    },
    cancel: (reason) => {
      cancelled = reason ?? "given up";
    },
  });
  return { stream, cancelled: () => cancelled };
}

function watch(run: RunPort, { stream }: Source) {
  const failures: unknown[] = [];
  const watched = observeStream(run, stream, {
    model: "m",
    closing: false,
    signal: undefined,
    elapsed: () => 7,
    failed: (error) => failures.push(error),
  });
  return { reader: (watched as unknown as ReadableStream<{ readonly type: string }>).getReader(), failures };
}

async function readAll(reader: ReadableStreamDefaultReader<{ readonly type: string }>): Promise<readonly string[]> {
  const types: string[] = [];
  for (let next = await reader.read(); !next.done; next = await reader.read()) types.push(next.value.type);
  return types;
}

function eventsOf(run: Pick<RunPort, "subscribe">): readonly RunEvent[] {
  const events: RunEvent[] = [];
  run.subscribe((step) => events.push(...step));
  return events;
}

describe("observeStream", () => {
  it("holds calls back until the answer is recorded and passes everything else on immediately", async () => {
    const run = createRun();
    const events = eventsOf(run);
    run.beforeTurn();
    const { reader } = watch(run, sourceOf([textDelta("I "), call("c1"), textDelta("look."), call("c2"), finish]));
    const seen: string[] = [];
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      seen.push(next.value.type);
      // The SDK runs a tool as soon as it sees the call: by then the log must have the answer and all its calls.
      if (next.value.type === "tool-call")
        expect(events.filter(({ type }) => type === "model.answered" || type === "tool.requested")).toHaveLength(3);
    }
    expect(seen).toEqual(["text-delta", "text-delta", "tool-call", "tool-call", "finish"]);
    expect(events.find(({ type }) => type === "model.answered")).toMatchObject({
      usage: { inputTokens: 5, outputTokens: 2 },
      finishReason: "tool-calls",
      durationMs: 7,
      toolCalls: 2,
    });
  });

  it("does not hold back calls the provider executes", async () => {
    const run = createRun();
    const events = eventsOf(run);
    const { reader } = watch(
      run,
      sourceOf([call("c1", { providerExecuted: true }), textDelta("Found."), { ...finish, finishReason: "stop" }]),
    );
    expect(await readAll(reader)).toEqual(["tool-call", "text-delta", "finish"]);
    expect(events.some(({ type }) => type === "tool.requested")).toBe(false);
  });

  it("releases the held calls and records a failure if the stream ends too early", async () => {
    const { reader, failures } = watch(createRun(), sourceOf([call("c1")]));
    expect(await readAll(reader)).toEqual(["tool-call"]);
    expect(failures).toMatchObject([{ name: "AbortError" }]);
  });

  it("passes an error on and records it once", async () => {
    const broken = new Error("connection reset");
    const { reader, failures } = watch(createRun(), sourceOf([textDelta("a")], broken));
    await expect(readAll(reader)).rejects.toBe(broken);
    expect(failures).toEqual([broken]);
    const inBand = watch(createRun(), sourceOf([call("c1"), { type: "error", error: broken }]));
    expect(await readAll(inBand.reader)).toEqual(["tool-call", "error"]);
    expect(inBand.failures).toEqual([broken]);
  });

  it("records an abort if the reader leaves, and cancels the model's stream", async () => {
    const source = sourceOf([textDelta("a"), textDelta("b"), finish]);
    const { reader, failures } = watch(createRun(), source);
    await reader.read();
    await reader.cancel("enough");
    expect(failures).toMatchObject([{ name: "AbortError" }]);
    expect(source.cancelled()).toBe("enough");
  });

  it("ends the text where a policy cuts it: the answer is what arrived so far", async () => {
    const chant = definePolicy({
      name: "chant",
      watchText: () => {
        let heard = "";
        return {
          push: (text) => ((heard += text).includes("again again") ? { kind: "chant", stop: true } : undefined),
        };
      },
    });
    const run = createRun({ mode: "gate", policies: [chant] });
    const events = eventsOf(run);
    run.beforeTurn();
    const source = sourceOf([
      textDelta("Once more: "),
      textDelta("again ".repeat(100)),
      textDelta("again ".repeat(100)),
      finish,
    ]);
    const { reader } = watch(run, source);
    expect(await readAll(reader)).toHaveLength(2);
    expect(source.cancelled()).toBe("given up");
    expect(events.find(({ type }) => type === "model.answered")).toMatchObject({
      finishReason: "stop",
      textLength: 611,
    });
  });

  it("takes the model id from the stream if it has one", async () => {
    const run = createRun();
    const events = eventsOf(run);
    const { reader } = watch(run, sourceOf([{ type: "response-metadata", modelId: "m-2026" }, textDelta("a"), finish]));
    await readAll(reader);
    expect(events.find(({ type }) => type === "model.answered")).toMatchObject({ model: "m-2026" });
  });
});
