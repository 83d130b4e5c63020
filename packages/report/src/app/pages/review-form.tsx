import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { WaitingReview } from "../../views/gate-rows.ts";

/** A pending review. Read-only if the source does not accept answers. */
export function ReviewForm({
  review,
  answer,
}: {
  readonly review: WaitingReview;
  readonly answer:
    ((answer: { readonly verdict: string; readonly feedback: string }) => Promise<void> | undefined) | undefined;
}): JSX.Element {
  const [feedback, setFeedback] = useState("");
  const [state, setState] = useState<"open" | "sent" | { readonly error: string }>("open");
  const send = async (verdict: string): Promise<void> => {
    try {
      await answer?.({ verdict, feedback });
      setState("sent");
    } catch (error) {
      setState({ error: String(error) });
    }
  };
  const title = `review-${review.review}`;
  return (
    <section class="review card" aria-labelledby={title}>
      <h2 id={title}>{review.kind === "claim" ? "Claim pending" : `Review pending: ${review.kind}`}</h2>
      <pre tabIndex={0}>{review.text}</pre>
      {answer === undefined ? null : state === "sent" ? (
        <p role="status">Answer sent. The run continues when it reads the answer.</p>
      ) : (
        <>
          <label>
            Feedback for the agent
            <textarea rows={3} value={feedback} onInput={({ currentTarget: { value } }) => setFeedback(value)} />
          </label>
          <p class="buttons">
            <button type="button" onClick={() => void send("approve")}>
              Approve
            </button>
            <button type="button" onClick={() => void send("needs-changes")}>
              Needs changes
            </button>
            <button type="button" onClick={() => void send("reject")}>
              Reject
            </button>
          </p>
          {typeof state === "object" ? (
            <p role="alert" class="error">
              {state.error}
            </p>
          ) : null}
        </>
      )}
    </section>
  );
}
