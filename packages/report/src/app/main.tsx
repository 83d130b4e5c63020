import { type JSX, render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ComparePage } from "./pages/compare-page.tsx";
import { fileSource } from "./sources/file-source.ts";
import { FIRST_VIEW, FolderPage, type FolderView } from "./pages/folder-page.tsx";
import { Brand, Icon } from "./parts/icon.tsx";
import { KeyHelp } from "./parts/key-help.tsx";
import { SharedPage } from "./parts/shared-page.ts";
import { SharedNote } from "./parts/shared-note.tsx";
import { liveSource } from "./sources/live-source.ts";
import { hrefOf, parseRoute, type Route } from "./route.ts";
import { RunPage } from "./pages/run-page.tsx";
import { type KnownRun, pageIndex, type Source } from "./sources/source.ts";
import { useKeys } from "./parts/use-keys.ts";

const REFRESH_MS = 2000;

function App({ source }: { readonly source: Source }): JSX.Element {
  const { index } = source;
  const [runs, setRuns] = useState<readonly KnownRun[]>(index.runs);
  const [route, setRoute] = useState<Route>(() => routeNow(source));
  const [help, setHelp] = useState(false);
  const [view, setView] = useState<FolderView>(FIRST_VIEW);
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const follow = (): void => setRoute(routeNow(source));
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, [source]);
  useEffect(() => {
    if (source.refresh === undefined || route.page !== "folder") return undefined;
    const ask = (): void => {
      source.refresh?.().then(
        (found) => {
          setRuns(found);
          setProblem(undefined);
        },
        (error: unknown) => setProblem(error instanceof Error ? error.message : String(error)),
      );
    };
    ask();
    const timer = setInterval(ask, REFRESH_MS);
    return () => clearInterval(timer);
  }, [source, route.page]);
  useKeys({ "?": () => setHelp(!help), Escape: () => setHelp(false) });
  const many = runs.length > 1 || index.live;
  return (
    <>
      <nav class="bar-top" aria-label="Report">
        <span class="brand">
          <Brand />
          Phasekit
        </span>
        {many ? <a href={hrefOf({ page: "folder" })}>All runs</a> : null}
        {index.compare === undefined ? null : (
          <a href={hrefOf({ page: "compare", a: index.compare[0], b: index.compare[1] })}>Compare</a>
        )}
        {index.live ? <span class="live">live</span> : null}
        <span class="space" />
        <button type="button" class="plain" title="Switch theme" aria-label="Switch theme" onClick={toggleTheme}>
          <Icon name="theme" />
        </button>
        <button
          type="button"
          class="plain"
          title="Keys"
          aria-label="Keys"
          aria-expanded={help}
          onClick={() => setHelp(!help)}
        >
          <Icon name="keys" />
        </button>
      </nav>
      {help ? <KeyHelp page={route.page} /> : null}
      <main>
        {problem === undefined || route.page !== "folder" ? null : (
          <p role="alert" class="error">
            {problem}
          </p>
        )}
        {index.removed === undefined ? null : <SharedNote removed={index.removed} />}
        {route.page === "folder" ? (
          <FolderPage
            title={index.title}
            runs={runs}
            view={view}
            onView={(change) => setView((before) => ({ ...before, ...change }))}
          />
        ) : null}
        {route.page === "run" ? <RunPage key={route.run} source={source} run={route.run} seq={route.seq} /> : null}
        {route.page === "compare" ? <ComparePage source={source} a={route.a} b={route.b} /> : null}
      </main>
    </>
  );
}

function routeNow({ index }: Source): Route {
  if (location.hash === "" && index.compare !== undefined)
    return { page: "compare", a: index.compare[0], b: index.compare[1] };
  return parseRoute(location.hash, index.runs.length === 1 && !index.live ? index.runs[0]?.line.run : undefined);
}

function toggleTheme(): void {
  const root = document.documentElement;
  const dark =
    root.dataset["theme"] === undefined
      ? matchMedia("(prefers-color-scheme: dark)").matches
      : root.dataset["theme"] === "dark";
  root.dataset["theme"] = dark ? "light" : "dark";
}

const index = pageIndex();
const root = document.getElementById("app");
if (root !== null) {
  root.textContent = "";
  render(
    <SharedPage.Provider value={index.removed !== undefined}>
      <App source={index.live ? liveSource(index) : fileSource(index)} />
    </SharedPage.Provider>,
    root,
  );
}
