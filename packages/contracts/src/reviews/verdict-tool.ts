import type { JsonObject, PlainTool } from "@phasekit/core";
import { z } from "zod";
import { issueTexts } from "../claims/claim-schema.ts";
import { errorText } from "../error-text.ts";
import { giveVerdict } from "./give-verdict.ts";
import { verdictInputSchema } from "./verdict-schema.ts";
import type { WorkStore } from "../stores/work-store.ts";

/**
 * Tool with which a judging agent gives its verdict, bound to one review. Other text of the judge or the artifact is
 * never a verdict.
 */
export function verdictTool({
  store,
  review,
  judge,
  clock,
}: {
  readonly store: WorkStore;
  readonly review: string;
  readonly judge: string;
  readonly clock?: () => number;
}): PlainTool {
  const schema = verdictInputSchema.extend({ review: z.literal(review) });
  return {
    name: "give_verdict",
    description: `Gives the verdict on review ${review}.`,
    inputSchema: z.toJSONSchema(schema, { io: "input" }) as JsonObject,
    execute: async (input) => {
      const parsed = schema.safeParse(input);
      if (!parsed.success) return { ok: false, text: `The verdict is invalid: ${issueTexts(parsed.error).join("; ")}` };
      try {
        await giveVerdict(store, { ...parsed.data, judge }, clock === undefined ? {} : { clock });
        return { ok: true, text: `The verdict "${parsed.data.verdict}" is recorded.` };
      } catch (error) {
        return { ok: false, text: errorText(error) };
      }
    },
  };
}
