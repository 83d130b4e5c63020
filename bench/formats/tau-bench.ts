import { defined, knownUsage, type LooseObject, nameIn, numberIn, textIn, toObject } from "@phasekit/core/adapter";
import type { RunWriter, TranscriptFormat, TranslationContext, Translator } from "@phasekit/transcripts";
import { contentText, objectsIn, timeIn } from "../../packages/transcripts/src/parse/loose-json.ts";
import { chatMessage, textResult } from "../../packages/transcripts/src/formats/messages/openai-messages.ts";

const HAND_OVER = "transfer_to_human_agents";
const STOP = /###(?:STOP|TRANSFER|OUT-OF-SCOPE)###/;

/** Results of tau-bench and tau²-bench: many runs in one file, each with the reward it got. */
export const tauBench: TranscriptFormat = {
  name: "tau-bench",
  title: "tau-bench",
  detect: ({ values: [first] }) => {
    const { simulations } = toObject(first);
    const [run = {}] = objectsIn(first);
    if (Array.isArray(run["traj"]) && "reward" in run && "task_id" in run)
      return { certainty: 1, split: ["*.traj.*"], variant: "1" };
    const [simulation = {}] = objectsIn(simulations);
    return Array.isArray(simulation["messages"]) && "task_id" in simulation
      ? { certainty: 1, split: ["simulations.*.messages.*"], variant: "2" }
      : undefined;
  },
  translate,
};

function translate({ runs, variant, skip, unknown }: TranslationContext): Translator {
  let run: RunWriter | undefined;
  let place: unknown;
  let about: Record<string, unknown> = {};
  let said = "";
  let over = false;
  /** A person takes over: the agent's last act. */
  let handedOver = false;
  let count = 0;

  function close(): void {
    if (run === undefined) return;
    const reward = numberIn(about["reward"]) ?? numberIn(toObject(about["reward_info"])["reward"]);
    const status = nameIn(about["termination_reason"]);
    if (handedOver && !over) run.finish(said === "" ? HAND_OVER : said);
    const reason =
      status === "max_steps"
        ? ("step_limit" as const)
        : status === "too_many_errors"
          ? ("validation_giveup" as const)
          : undefined;
    run.end({
      ...defined({ status, reason }),
      ...(reward !== undefined && { judged: { success: reward >= 1, by: `reward ${String(reward)}` } }),
      ...(status === undefined && over && { status: "the user stopped" }),
    });
    run = undefined;
    about = {};
    over = false;
    handedOver = false;
  }

  function message(writer: RunWriter, value: LooseObject): void {
    const at = timeIn(value["timestamp"]);
    count += 1;
    const text = contentText(value["content"]);
    if (value["role"] === "user") {
      if (objectsIn(value["tool_calls"]).length > 0) return skip("tool call of the user");
      if (text === "") return skip("empty message");
      writer.user(text, defined({ at }));
      // The talk is over because its user is content: so the agent's last word was its answer.
      if (STOP.test(text) && said !== "") writer.finish(said, defined({ at }));
      over ||= STOP.test(text);
      return;
    }
    if (value["role"] === "assistant") {
      said = text;
      handedOver = objectsIn(value["tool_calls"]).some(
        (call) => (call["name"] ?? toObject(call["function"])["name"]) === HAND_OVER,
      );
    }
    if (variant === "1") return chatMessage(writer, value, { id: String(count), skip, unknown });
    if (value["role"] === "assistant") {
      writer.answer({ id: String(count), ...defined({ at, usage: knownUsage(value["usage"], "chat") }) });
      writer.text(text);
      for (const { id, name, arguments: given } of objectsIn(value["tool_calls"]))
        writer.call({ tool: textIn(name), input: given, ...defined({ call: nameIn(id), at }) });
    } else if (value["role"] === "tool") {
      if (value["requestor"] === "user") return skip("tool call of the user");
      writer.result({
        ...textResult(text),
        ...(value["error"] === true && { outcome: "error" as const }),
        ...defined({ call: nameIn(value["id"]), at }),
      });
    } else skip(`${textIn(value["role"])} message`);
  }

  return {
    take: ({ path, value }) => {
      const [index, member, entry] = variant === "1" ? path : path.slice(1);
      if (typeof index !== "number") return skip(String(path[0]));
      if (index !== place) {
        close();
        place = index;
        said = "";
      }
      run ??= runs.open({ finishes: "last" });
      if (typeof entry === "number") message(run, toObject(value));
      else {
        about = { ...about, [String(member)]: value };
        if (member === "task_id") run.describe({ task: { id: String(value) } });
        else if (member === "id") run.rename(textIn(value));
        else skip(String(member));
      }
    },
    end: close,
  };
}
