import { useId, type ReactNode, type Ref } from 'react';
import { Button } from './button.tsx';
import type { IconName } from './icon.tsx';

interface SideMenuProps {
  readonly label: string;
  readonly icon: IconName;
  readonly buttonRef?: Ref<HTMLButtonElement>;
  readonly children: ReactNode;
}

/** Part of the sidebar. On narrow pages it is a popover with a button. */
export function SideMenu({ label, icon, buttonRef, children }: SideMenuProps) {
  const menuId = useId();
  return (
    <section aria-label={label}>
      <Button className="side-menu-button" ref={buttonRef} popoverTarget={menuId} icon={icon}>
        {label}
      </Button>
      <div className="side-menu" id={menuId} popover="auto">
        {children}
      </div>
    </section>
  );
}
