import type { IncomingHttpHeaders } from "node:http";

export type Json = Readonly<Record<string, unknown>>;

/** A tool call the scripted model makes. */
export interface ScriptedCall {
  /** @default a number that grows */
  readonly id?: string;
  readonly tool: string;
  /** A text is sent as it is: models write arguments that are no JSON, too. */
  readonly input?: unknown;
}

/** What the scripted provider reports. */
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
  readonly headers?: Readonly<Record<string, string>>;
  readonly fails?: { readonly status: number; readonly code: string; readonly message?: string };
  /** Never answers; called when the request is in. */
  readonly hangs?: () => void;
  /** Cuts a streamed answer after so many events. */
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

/** What an answer is wrapped in. */
export interface Envelope {
  readonly id: string;
  readonly body: Json;
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
