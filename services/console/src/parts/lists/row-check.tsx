import type { ComponentProps } from 'react';

/** Checkbox that selects a row. The label around it is the touch target on a phone. */
export function RowCheck(props: Omit<ComponentProps<'input'>, 'type' | 'className'>) {
  return (
    <label className="inline-flex items-center justify-center align-middle phone:size-10 phone:-mx-2.5">
      <input type="checkbox" className="size-3.5 m-0 accent-ink phone:size-5" {...props} />
    </label>
  );
}
