import type { IncomingHttpHeaders } from "node:http";

export type Json = Readonly<Record<string, unknown>>;

/** A tool call the scripted model makes. */
export interface ScriptedCall {
  /** @default a number that grows */
  readonly id?: string;
  readonly tool: string;
  /** A text is sent as it is: models also write arguments that are not JSON. */
  readonly input?: unknown;
}

/** Token usage as the scripted provider reports it. */
export interface ScriptedUsage {
  readonly input: number;
  readonly output: number;
  readonly cached?: number;
  readonly reasoning?: number;
}

/** One answer of the scripted model. */
export interface ScriptedAnswer {
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
  /** @default nothing is reported */
  readonly usage?: ScriptedUsage;
  /** Cut off at the token limit. */
  readonly cutOff?: boolean;
  /** Why it ends early; `"length"` is the same as `cutOff`. */
  readonly finish?: "length" | "content-filter";
  /** Reasoning before the answer: `reasoning_content` of a chat completion, a reasoning item of a response. */
  readonly reasoning?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fails?: { readonly status: number; readonly code: string; readonly message?: string };
  /** Never answers; called when the request is in. */
  readonly hangs?: () => void;
  /** Cuts a streamed answer after this number of events. */
  readonly breaksAfter?: number;
}

/** A request as it came over the wire. */
export interface RecordedRequest {
  readonly api: "chat" | "responses";
  readonly body: Json;
  readonly headers: IncomingHttpHeaders;
  /** Responses: everything said before, what `previous_response_id` stands for included. */
  readonly history: readonly Json[];
}

/** The parts of a response around its answer. */
export interface Envelope {
  readonly id: string;
  readonly body: Json;
}

/** Why an answer ends early, in words of neither API. */
export function earlyEnd({ cutOff = false, finish }: ScriptedAnswer): "length" | "content-filter" | undefined {
  return cutOff ? "length" : finish;
}

/** The arguments of a call, as a text. */
export function argumentsOf({ input = {} }: ScriptedCall): string {
  return typeof input === "string" ? input : JSON.stringify(input);
}

/** The id of the n-th call of an answer. */
export function callIdOf({ id }: ScriptedCall, { id: answer }: Envelope, index: number): string {
  return id ?? `call-${answer}-${index}`;
}

/** A text in the pieces a model would stream. */
export function pieces(text: string): readonly string[] {
  return text.match(/[\s\S]{1,5}/g) ?? [];
}
