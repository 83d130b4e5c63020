// An Express route that streams the text of an agent and the events of its run as server-sent events.
import { withPhases } from "@phasekit/ai-sdk";
import { createRun, definePolicy, nudge, trackRun } from "@phasekit/core";
import { stepCountIs, streamText, type LanguageModel } from "ai";
import express, { type Express } from "express";

const greet = definePolicy({ name: "greet", decide: { "turn.started": () => nudge("Be short.") } });

/** Returns an app with the route `POST /run`. `ended` gets the reason of every run. */
export function createApp(model: LanguageModel, ended: (reason: string) => void): Express {
  const app = express();
  app.post("/run", express.json(), async (request, response) => {
    const { prompt } = request.body as { prompt: string };
    const send = (event: string, data: unknown): void =>
      void response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });

    // The client is gone: stop paying for the model.
    const controller = new AbortController();
    response.on("close", () => controller.abort());

    const run = createRun({ policies: [greet] });
    run.subscribe((step) => {
      for (const { type } of step) send("run", type);
    });
    try {
      await trackRun(run, async () => {
        const { stream } = streamText(
          withPhases(run, {
            model,
            prompt,
            abortSignal: controller.signal,
            stopWhen: stepCountIs(10),
            onError: () => undefined,
          }),
        );
        for await (const part of stream) {
          if (part.type === "text-delta") send("text", part.text);
          // `streamText` does not throw: an error and an abort are parts of its stream.
          if (part.type === "error") throw part.error;
          if (part.type === "abort") controller.signal.throwIfAborted();
        }
      });
    } catch (error) {
      send("error", error instanceof Error ? error.message : String(error));
    } finally {
      ended(String(run.outcome?.reason));
      response.end();
    }
  });
  return app;
}
