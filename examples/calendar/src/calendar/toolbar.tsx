import type { ReactNode } from 'react';
import type { LiveState } from '../api/use-live.ts';
import { Button } from '../ui/button.tsx';
import { LiveBadge } from '../ui/live-badge.tsx';
import {
  computeAdjacentView,
  isSupportedDate,
  views,
  formatViewTitle,
  type View,
  type ViewState,
} from './view-state.ts';
import { todayIn } from './event-times.ts';

interface ToolbarProps {
  readonly viewState: ViewState;
  readonly zone: string;
  /** Number of days in a week view. */
  readonly weekDays: number;
  readonly live: LiveState;
  readonly onNavigate: (viewState: ViewState) => void;
  readonly isSidebarOpen: boolean;
  readonly onToggleSidebar: () => void;
  /** The search field. */
  readonly children: ReactNode;
}

/** Title of the visible days, and buttons for other days and views. */
export function Toolbar(props: ToolbarProps) {
  const { viewState, zone, weekDays, live, onNavigate, isSidebarOpen, onToggleSidebar, children } = props;
  const labelOf = (view: View): string =>
    view === 'week' && weekDays < 7 ? `${weekDays} days` : `${view[0]?.toUpperCase()}${view.slice(1)}`;
  const viewLabel = labelOf(viewState.view);
  const [previous, next] = [
    computeAdjacentView(viewState, -1, weekDays),
    computeAdjacentView(viewState, 1, weekDays),
  ];
  return (
    <div className="toolbar">
      <Button
        className="plain side-button"
        aria-label="Sidebar"
        title="Sidebar"
        aria-expanded={isSidebarOpen}
        onClick={onToggleSidebar}
        icon="menu"
      />
      <div className="buttons together">
        <Button
          aria-label={`${viewLabel} before`}
          disabled={!isSupportedDate(previous.date)}
          onClick={() => onNavigate(previous)}
          icon="left"
        />
        <Button onClick={() => onNavigate({ ...viewState, date: todayIn(zone) })}>Today</Button>
        <Button
          aria-label={`${viewLabel} after`}
          disabled={!isSupportedDate(next.date)}
          onClick={() => onNavigate(next)}
          icon="right"
        />
      </div>
      <div className="buttons together" role="group" aria-label="View">
        {views.map((view) => (
          <Button
            key={view}
            aria-pressed={view === viewState.view}
            onClick={() => onNavigate({ ...viewState, view })}
          >
            {labelOf(view)}
          </Button>
        ))}
      </div>
      <h2 aria-live="polite">{formatViewTitle(viewState, weekDays)}</h2>
      <LiveBadge state={live} />
      {children}
    </div>
  );
}
