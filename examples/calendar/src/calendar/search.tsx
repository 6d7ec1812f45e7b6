import { useState, type CSSProperties, type KeyboardEvent, type RefObject } from 'react';
import type { Temporal } from 'temporal-polyfill';
import { nameOf, type Calendars } from '../calendars/use-calendars.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { titleOf } from './event-card.tsx';
import { searchedYears, useSearch, type SearchOutcome } from './use-search.ts';
import { formatDayWithYear, describeTimes, type CalendarEvent, type DatedEvent } from './event-times.ts';

interface SearchProps {
  readonly calendars: Calendars;
  /** The visible date, around which events are searched. */
  readonly date: Temporal.PlainDate;
  readonly zone: string;
  readonly inputRef: RefObject<HTMLInputElement | null>;
  readonly onOpen: (event: CalendarEvent, date: Temporal.PlainDate) => void;
}

/** Maximum length of a search in the gateway. */
const maxSearchLength = 1024;
/** Maximum number of results in each list. */
const maxListedResults = 50;

/** Search field with a panel of results. Arrow keys move between them, and Escape closes the panel. */
export function Search({ calendars, date, zone, inputRef, onOpen }: SearchProps) {
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const searchText = isOpen ? text.trim() : '';
  const { outcome, retry } = useSearch(searchText, calendars.visibleCalendars, date, zone);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    if (event.key === 'Escape' && text !== '') {
      event.preventDefault();
      setText('');
      setOpen(false);
      inputRef.current?.focus();
      return;
    }
    const direction = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!direction) return;
    event.preventDefault();
    setOpen(true);
    const focusStops = [...event.currentTarget.querySelectorAll<HTMLElement>('input, li button')];
    focusStops[focusStops.findIndex((stop) => stop === document.activeElement) + direction]?.focus();
  };
  const openResult = ({ event, times }: DatedEvent): void => {
    // The quick view returns the focus to the field.
    inputRef.current?.focus();
    setOpen(false);
    onOpen(event, times.start.toPlainDate());
  };
  const retryFromField = (): void => {
    inputRef.current?.focus();
    retry();
  };
  return (
    <search
      className="search"
      onKeyDown={onKeyDown}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) setOpen(false);
      }}
    >
      <Icon name="search" />
      <input
        ref={inputRef}
        type="search"
        aria-label="Search events"
        placeholder="Search"
        autoComplete="off"
        maxLength={maxSearchLength}
        value={text}
        onClick={() => setOpen(true)}
        onChange={({ target }) => {
          setText(target.value);
          setOpen(true);
        }}
      />
      {searchText !== '' && (
        <div className="search-panel card" tabIndex={-1} aria-busy={!outcome}>
          <p role="status" className="quiet">
            {describeOutcome(outcome, searchText)}
          </p>
          {outcome?.problem !== undefined && (
            <p className="error" role="alert">
              <Icon name="warning" />
              <span>The search failed. {outcome.problem}</span>
              <Button className="link" onClick={retryFromField}>
                Try again
              </Button>
            </p>
          )}
          <ResultList
            title="Upcoming"
            seriesLabel="Series, next on"
            results={outcome?.upcoming}
            calendars={calendars}
            onOpen={openResult}
          />
          <ResultList
            title="Past"
            seriesLabel="One of a series,"
            results={outcome?.past}
            calendars={calendars}
            onOpen={openResult}
          />
          <p className="hint">
            Searches visible calendars from {formatDayWithYear(date.subtract({ years: searchedYears }))} to{' '}
            {formatDayWithYear(date.add({ years: searchedYears }))}.
          </p>
        </div>
      )}
    </search>
  );
}

/** Text for screen readers and above the results. Undefined `outcome`: the search runs. */
function describeOutcome(outcome: SearchOutcome | undefined, searchText: string): string {
  if (!outcome) return 'Searching…';
  if (outcome.problem !== undefined) return '';
  const count = outcome.upcoming.length + outcome.past.length;
  if (count === 0) return `No events match “${searchText}”.`;
  return count === 1 ? '1 result' : `${count} results`;
}

interface ResultListProps {
  readonly title: string;
  /** Text before the time of an instance. */
  readonly seriesLabel: string;
  readonly results: readonly DatedEvent[] | undefined;
  readonly calendars: Calendars;
  readonly onOpen: (result: DatedEvent) => void;
}

function ResultList({ title, seriesLabel, results = [], calendars, onOpen }: ResultListProps) {
  if (results.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <ul>
        {results.slice(0, maxListedResults).map((result) => {
          const { event, times } = result;
          const calendar = calendars.visibleCalendars.find(({ id }) => id === event.calendarId);
          return (
            <li key={event.nodeId}>
              <Button className="link" onClick={() => onOpen(result)}>
                <b>
                  {calendar && (
                    <span
                      className="swatch"
                      style={{ '--calendar': calendars.colorOf(calendar) } as CSSProperties}
                    />
                  )}
                  {titleOf(event)} {event.recurringEventId && <Icon name="repeat" />}
                </b>{' '}
                <span className="quiet">
                  {event.recurringEventId && `${seriesLabel} `}
                  {describeTimes(times, formatDayWithYear)}
                </span>{' '}
                {calendar && <span className="quiet">{nameOf(calendar)}</span>}
              </Button>
            </li>
          );
        })}
      </ul>
      {results.length > maxListedResults && (
        <p className="hint">
          {maxListedResults} of {results.length} are listed. Add a word to narrow the search.
        </p>
      )}
    </section>
  );
}
