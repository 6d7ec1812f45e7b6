import { Dialog } from '../ui/dialog.tsx';
import { Checkbox } from '../ui/field.tsx';

interface ShortcutsDialogProps {
  readonly isOn: boolean;
  readonly onToggle: (isOn: boolean) => void;
  readonly onClose: () => void;
}

/** Keys that the user can turn off. */
const shortcuts: readonly (readonly [keys: string, action: string])[] = [
  ['c', 'New event'],
  ['t', 'Today'],
  ['d', 'Day view'],
  ['w', 'Week view'],
  ['m', 'Month view'],
  ['j', 'Next day, week or month'],
  ['k', 'Previous day, week or month'],
  ['/', 'Search'],
  ['Delete', 'Delete the focused event'],
  ['?', 'Show these shortcuts'],
];
/** Keys that always work. */
const permanentKeys: typeof shortcuts = [
  ['Enter', 'Open the focused event'],
  ['Alt + arrow key', 'Move the focused event'],
  ['Alt + Shift + ↑ or ↓', 'Change the end of the focused event'],
  ['Escape', 'Close a dialog or the search, or cancel a drag'],
];

/** Lists the keyboard shortcuts. Single keys can be turned off, as WCAG 2.1.4 requires. */
export function ShortcutsDialog({ isOn, onToggle, onClose }: ShortcutsDialogProps) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <div className="panel">
        <Checkbox label="Use single-key shortcuts" checked={isOn} onChange={onToggle} />
        <KeyList keys={shortcuts} />
        <h3>Always on</h3>
        <KeyList keys={permanentKeys} />
      </div>
    </Dialog>
  );
}

const KeyList = ({ keys }: { readonly keys: typeof shortcuts }) => (
  <dl className="details shortcuts">
    {keys.map(([key, action]) => (
      <div key={key}>
        <dt>
          <kbd>{key}</kbd>
        </dt>
        <dd>{action}</dd>
      </div>
    ))}
  </dl>
);
