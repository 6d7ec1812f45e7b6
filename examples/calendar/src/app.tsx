import { useSyncExternalStore } from 'react';
import { addListeners } from './api/listen.ts';
import { CalendarView } from './calendar/calendar-view.tsx';
import { StorageView } from './storage/storage-view.tsx';
import icon from './icon.svg';
import { Notices } from './ui/notices.tsx';

/** Views of the page: fragment of the URL, name, and component. */
const pageViews = [
  ['', 'Calendar', CalendarView],
  ['#storage', 'Storage', StorageView],
] as const;

/** The page: header, the view of the URL, and notices. */
export function App() {
  const hash = useSyncExternalStore(
    (listener) => addListeners(window, ['hashchange'], listener),
    () => location.hash,
  );
  const [activeFragment, , View] = pageViews.find(([fragment]) => fragment === hash) ?? pageViews[0];
  return (
    <>
      <header className="top">
        <h1>
          <img src={icon} alt="" width="28" height="28" />
          Gateway demo
        </h1>
        <nav aria-label="Views">
          {pageViews.map(([fragment, name]) => (
            <a
              key={name}
              href={fragment || '#'}
              aria-current={fragment === activeFragment ? 'page' : undefined}
            >
              {name}
            </a>
          ))}
        </nav>
        <span className="space" />
        <a className="quiet" href="/explorer">
          Explorer
        </a>
      </header>
      <View />
      <Notices />
    </>
  );
}
