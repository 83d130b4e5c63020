import { isObject, toObject } from "@phasekit/core/adapter";
import type { Invocation } from "./invocation.ts";

const invocations = new WeakMap<object, Invocation>();
const tokens = new WeakMap<object, { readonly invocation: Invocation; readonly context: unknown }>();

/**
 * Returns the `context` for a call of `run()`. The SDK makes a `RunContext` from it, by which the invocation is found
 * again; until then the caller's context is behind a token that acts like it.
 */
export function tagContext(invocation: Invocation, context: unknown): unknown {
  if (typeof toObject(context)["isToolApproved"] === "function") {
    // A `RunContext` already.
    bindContext(invocation, context);
    return context;
  }
  const token: object = new Proxy(isObject(context) ? context : {}, {});
  // The SDK turns a missing context into an empty one.
  tokens.set(token, { invocation, context: context ?? {} });
  return token;
}

/** Notes that a `RunContext` belongs to an invocation. */
export function bindContext(invocation: Invocation, runContext: unknown): void {
  if (isObject(runContext)) invocations.set(runContext, invocation);
}

/** The invocation a `RunContext` belongs to, if any. */
export function invocationOf(runContext: unknown): Invocation | undefined {
  if (!isObject(runContext)) return undefined;
  const { context } = runContext;
  const tag = isObject(context) ? tokens.get(context) : undefined;
  if (tag !== undefined) {
    bindContext(tag.invocation, runContext);
    Reflect.set(runContext, "context", tag.context);
  }
  return invocations.get(runContext);
}
