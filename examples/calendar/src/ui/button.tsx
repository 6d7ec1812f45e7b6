import type { ComponentProps } from 'react';
import { Icon, type IconName } from './icon.tsx';

interface ButtonProps extends ComponentProps<'button'> {
  readonly icon?: IconName;
}

/** A button that submits no form unless its type says so, with an icon before its text. */
export const Button = ({ icon, children, ...attributes }: ButtonProps) => (
  <button type="button" {...attributes}>
    {icon && <Icon name={icon} />}
    {children}
  </button>
);

/** A button that shows an icon only. `label`: its name for screen readers. */
export const IconButton = ({ label, ...button }: ButtonProps & { readonly label: string }) => (
  <Button className="plain" aria-label={label} {...button} />
);
