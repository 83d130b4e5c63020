/** Notices agents that left without a word: their process is gone. */
export interface AgentProcesses {
  /** A session works in a process. `onGone` is called once, unless the session is forgotten. */
  readonly note: (session: string, process: { readonly pid: number; readonly onGone: () => void }) => void;
  /** The session is over. */
  readonly forget: (session: string) => void;
  readonly close: () => void;
}

const LOOK_MS = 1000;

/** Looks every second whether the processes of sessions are there. */
export function createAgentProcesses(): AgentProcesses {
  const processes = new Map<string, Parameters<AgentProcesses["note"]>[1]>();
  let timer: NodeJS.Timeout | undefined;

  function rest(): void {
    clearInterval(timer);
    timer = undefined;
  }

  function forget(session: string): void {
    processes.delete(session);
    if (processes.size === 0) rest();
  }

  function look(): void {
    for (const [session, { pid, onGone }] of [...processes]) {
      if (isThere(pid)) continue;
      forget(session);
      onGone();
    }
  }

  return {
    note: (session, process) => {
      // A process that cannot be seen from here, such as one in a container, works on.
      if (processes.get(session)?.pid === process.pid || !isThere(process.pid)) return;
      processes.set(session, process);
      timer ??= setInterval(look, LOOK_MS).unref();
    },
    forget,
    close: rest,
  };
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
