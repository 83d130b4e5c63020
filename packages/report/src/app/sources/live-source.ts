import type { RunEvent } from "@phasekit/core";
import type { Overview } from "../../views/overview.ts";
import type { KnownRun, PageIndex, Source } from "./source.ts";

/**
 * Loads runs from the server of the page. Exchanges the code in the url for a token once and sends the token in a
 * header. Not in a cookie: browsers send cookies to every port of this machine.
 */
export function liveSource(index: PageIndex): Source {
  const token = takeToken();

  const headers = async (): Promise<Readonly<Record<string, string>>> => ({ "x-phasekit-token": await token });

  async function get(path: string, signal?: AbortSignal): Promise<Response> {
    const response = await fetch(path, { headers: await headers(), ...(signal !== undefined && { signal }) });
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
        headers: { ...(await headers()), "content-type": "application/json" },
        body: JSON.stringify(answer),
      });
      if (!response.ok) throw new Error((await response.text()).slice(0, 300));
    },
  };
}

const KEPT = "phasekit-token";
const CODE = /^#code=([\w-]+)/;

/** Exchanges the code in the url for a token and removes it from the url, or reuses the token of this browser. */
async function takeToken(): Promise<string> {
  const code = CODE.exec(location.hash)?.[1];
  if (code === undefined) return localStorage.getItem(KEPT) ?? "";
  const rest = location.hash.replace(CODE, "").replace(/^&/, "#");
  history.replaceState(undefined, "", `${location.pathname}${rest}`);
  const response = await fetch("/api/session", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code }),
  });
  if (!response.ok) return localStorage.getItem(KEPT) ?? "";
  const { token } = (await response.json()) as { readonly token: string };
  localStorage.setItem(KEPT, token);
  return token;
}
