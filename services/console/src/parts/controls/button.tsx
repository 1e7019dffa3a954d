import type { ComponentProps, ReactNode } from 'react';
import { Icon, type IconName } from '../icon/icon.tsx';
import { useTooltip } from './tooltip.tsx';

export type ButtonKind = 'plain' | 'ink' | 'ghost' | 'bad' | 'solid-bad';

export interface ButtonProps extends Omit<ComponentProps<'button'>, 'className'> {
  kind?: ButtonKind;
  small?: boolean;
  icon?: IconName;
  /** Text for screen readers, for a button that shows only its icon. */
  label?: string;
  /** Reason why the button is disabled. The button stays focusable, so that the reason can be read. */
  refusal?: string | undefined;
  keyHint?: string;
  className?: string;
  children?: ReactNode;
}

export function Button({ kind = 'plain', small = false, icon, label, refusal, keyHint, ...rest }: ButtonProps) {
  const { className = '', children, onClick, onBlur, ...others } = rest;
  const names = ['btn', kind !== 'plain' && kind, small && 's', children === undefined && 'icon', className];
  const { target, tooltip } = useTooltip(refusal ?? (children === undefined ? label : undefined));
  return (
    <>
      <button
        type="button"
        {...target}
        {...others}
        className={names.filter(Boolean).join(' ')}
        aria-label={label}
        aria-disabled={refusal === undefined ? undefined : true}
        onClick={refusal === undefined ? onClick : (event) => event.preventDefault()}
        onBlur={(event) => {
          target.onBlur?.(event);
          onBlur?.(event);
        }}
      >
        {icon && <Icon name={icon} size={small ? 14 : 16} />}
        {children}
        {keyHint !== undefined && (
          <kbd className="wide" aria-hidden="true">
            {keyHint}
          </kbd>
        )}
      </button>
      {tooltip}
    </>
  );
}
