import type { RunEvent } from "@phasekit/core";
import type { Overview } from "../views/overview.ts";
import type { KnownRun, PageIndex, Source } from "./source.ts";

/** Runs behind the server that sent the page. The token is in the page's address, and goes along in a header. */
export function liveSource(index: PageIndex): Source {
  const token = new URLSearchParams(location.search).get("token") ?? "";
  const headers = { "x-phasekit-token": token };

  async function get(path: string, signal?: AbortSignal): Promise<Response> {
    const response = await fetch(path, { headers, ...(signal !== undefined && { signal }) });
    if (!response.ok) throw new Error(`${String(response.status)}: ${(await response.text()).slice(0, 300)}`);
    return response;
  }

  const path = (run: string): string => `/api/runs/${encodeURIComponent(run)}`;
  return {
    index,
    overview: async (run) => (await (await get(path(run))).json()) as Overview,
    events: async (run, { onBatch, signal }) => {
      const { body } = await get(`${path(run)}/events`, signal);
      if (body === null) return;
      const reader = body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        const lines = (rest + value).split("\n");
        rest = lines.pop() ?? "";
        const events = lines.filter((line) => line !== "").map((line) => JSON.parse(line) as RunEvent);
        if (events.length > 0) onBatch(events);
      }
    },
    refresh: async () => (await (await get("/api/runs")).json()) as readonly KnownRun[],
    answer: async (run, review, answer) => {
      const response = await fetch(`${path(run)}/reviews/${encodeURIComponent(review)}`, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify(answer),
      });
      if (!response.ok) throw new Error((await response.text()).slice(0, 300));
    },
  };
}
