/** Fewer events are loaded before anybody wonders. */
const fromEvents = 5000;

interface Terminal {
  write(text: string): unknown;
}

const number = new Intl.NumberFormat('en');

/** Writes one line to a terminal, over and over, of how far the loading of many events is. */
export function progressOn(
  terminal: Terminal,
  doing = 'Loading the seed',
): (done: number, total: number) => void {
  return (done, total) => {
    if (total < fromEvents) return;
    terminal.write(
      `\r${doing}: ${number.format(done)} of ${number.format(total)} events${done === total ? '\n' : ''}`,
    );
  };
}

/** The same of an export, which does not know how many there are. */
export function countOn(terminal: Terminal): {
  readonly count: (done: number) => void;
  readonly end: () => void;
} {
  let last = 0;
  const write = (end: string): unknown => terminal.write(`\rExporting: ${number.format(last)} events${end}`);
  return {
    count(done) {
      last = done;
      if (done % 1000 === 0 && done >= fromEvents) write('');
    },
    end: () => void (last >= fromEvents && write('\n')),
  };
}
