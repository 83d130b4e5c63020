import type { Reviewer } from "../adapter/answer-review.ts";
import type { RunSource } from "../adapter/run-source.ts";

/** A tool call the scripted model makes. */
export interface ScriptedCall {
  readonly tool: string;
  readonly input?: unknown;
}

/** One answer of the scripted model. */
export interface ScriptedAnswer {
  readonly text?: string;
  /** Made in parallel. */
  readonly calls?: readonly ScriptedCall[];
  /** The usage the provider reports. Absent: it reports none. */
  readonly usage?: {
    readonly input: number;
    readonly output: number;
    readonly cached?: number;
    readonly reasoning?: number;
  };
  /** The model's reasoning before the answer. */
  readonly reasoning?: string;
  /** Why the provider ends the answer early. Absent: it is complete. */
  readonly finish?: "length" | "content-filter";
  readonly headers?: Readonly<Record<string, string>>;
  /** The provider answers with an error. */
  readonly fails?: { readonly status: number; readonly code: string };
  /** The model never answers, and the host gives up once it has been asked. */
  readonly aborted?: true;
}

/** A tool of the scripted agent. */
export interface ScriptedTool {
  readonly name: string;
  readonly execute: (input: unknown, context: { readonly call: string }) => unknown;
  /** The host itself does not let the call happen, and says why. */
  readonly denied?: string;
}

/** An agent for the host to run. */
export interface ScriptedAgent {
  readonly prompt: string;
  /** The model the host uses by itself, and the models behind the labels of phases. */
  readonly model: string;
  readonly models: Readonly<Record<string, string>>;
  readonly answers: readonly ScriptedAnswer[];
  readonly tools: readonly ScriptedTool[];
  readonly stream: boolean;
  /**
   * Before this request, counted from 1, the host replaces its history by a user message with the summary and the last
   * answer with its results.
   */
  readonly compact?: { readonly before: number; readonly summary: string };
  readonly reviewer?: Reviewer;
}

/** One message as it reached the model, in no provider's form. */
export interface SeenMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly text: string;
  /** The names of the tools an assistant calls. */
  readonly calls?: readonly string[];
}

/** One request as it reached the model, in no provider's form. */
export interface SeenRequest {
  readonly model: string;
  readonly messages: readonly SeenMessage[];
  readonly tools: readonly string[];
  /** "none" for a turn without tools. */
  readonly toolChoice: string;
}

/** Abilities that not every host has. `end`: the adapter sees the end of an invocation. */
export type HostAbility = "veto" | "deny" | "stream" | "abort" | "review" | "quota" | "end";

/**
 * Events an adapter may record beyond the basic ones: how an answer ended, the model's reasoning, the user's messages,
 * and a shortened history.
 */
export type AdapterSkill = "finish" | "reasoning" | "user" | "compact";

/** A host that is ready to run one scripted agent. */
export interface ScriptedHost {
  /** Invokes the host with the adapter in place. Gives its last text; rejects when the host rejects. */
  readonly invoke: (run: RunSource) => Promise<string>;
  /** The requests that reached the model. */
  readonly requests: () => readonly SeenRequest[];
  readonly close?: () => Promise<void>;
}

/** Runs a scripted agent on a host: written by the author of an adapter to have it checked. */
export interface AdapterHarness {
  readonly name: string;
  /** Abilities the host lacks: their scenarios are left out. @default none */
  readonly cannot?: readonly HostAbility[];
  /** The events that the adapter records beyond the basics: adds the scenarios for it. @default none */
  readonly can?: readonly AdapterSkill[];
  readonly start: (agent: ScriptedAgent) => ScriptedHost | Promise<ScriptedHost>;
}
