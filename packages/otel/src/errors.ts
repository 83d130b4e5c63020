import { PhasekitError } from "@phasekit/core";

/** Thrown by `webhookSink` and `isWebhookSigned` for a missing or short secret. */
export function noSecret(): PhasekitError<"NO_SECRET"> {
  return new PhasekitError("NO_SECRET", "A webhook needs a secret of at least 16 characters.", {
    hint: "Make one with `openssl rand -base64 32` and give it to the receiver too.",
  });
}
