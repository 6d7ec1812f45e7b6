/** Fewer events are loaded before anybody wonders. */
const fromEvents = 5000;

/** Writes one line to a terminal, over and over, of how far the loading of a large seed is. */
export function progressOn(terminal: { write(text: string): unknown }): (done: number, total: number) => void {
  const number = new Intl.NumberFormat('en');
  return (done, total) => {
    if (total < fromEvents) return;
    terminal.write(`\rLoading the seed: ${number.format(done)} of ${number.format(total)} events${done === total ? '\n' : ''}`);
  };
}
