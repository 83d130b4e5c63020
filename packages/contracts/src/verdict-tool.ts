import type { JsonObject, PlainTool } from "@phasekit/core";
import { z } from "zod";
import { issueTexts } from "./claim-schema.ts";
import { errorText } from "./error-text.ts";
import { giveVerdict } from "./give-verdict.ts";
import { verdictInputSchema } from "./verdict-schema.ts";
import type { WorkStore } from "./work-store.ts";

/**
 * The tool a judging agent answers with. It is bound to one review: what the artifact says, or what the judge writes
 * besides, is no verdict.
 */
export function verdictTool({ store, review, judge, clock }: { readonly store: WorkStore; readonly review: string; readonly judge: string; readonly clock?: () => number }): PlainTool {
  const schema = verdictInputSchema.extend({ review: z.literal(review) });
  return {
    name: "give_verdict",
    description: `Gives the verdict on review ${review}.`,
    inputSchema: z.toJSONSchema(schema, { io: "input" }) as JsonObject,
    execute: async (input) => {
      const parsed = schema.safeParse(input);
      if (!parsed.success) return { ok: false, text: `The verdict is wrong: ${issueTexts(parsed.error).join("; ")}` };
      try {
        await giveVerdict(store, { ...parsed.data, judge }, clock === undefined ? {} : { clock });
        return { ok: true, text: `The verdict "${parsed.data.verdict}" is recorded.` };
      } catch (error) {
        return { ok: false, text: errorText(error) };
      }
    },
  };
}
