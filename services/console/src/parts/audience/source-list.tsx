import type { ReactNode } from 'react';
import type { UploadedAudience, Run } from '#client/types.gen.ts';
import type { SourceForm } from './source-form.ts';
import { Button } from '../controls/button.tsx';
import { Icon } from '../icon/icon.tsx';
import { SourceUsers, SourceDescription } from './source-description.tsx';

export const sourceIcons = { segment: 'users', list: 'audit', run: 'retry' } as const;

interface SourceListProps {
  label: string;
  sources: readonly SourceForm[];
  lists: readonly UploadedAudience[];
  runs: readonly Run[];
  /** Returns the users of a source by its index; undefined before they are requested. */
  usersOf?: (index: number) => number | null | undefined;
  note?: (index: number) => ReactNode;
  onRemove: (source: SourceForm) => void;
}

export function SourceList({ label, sources, lists, runs, usersOf, note, onRemove }: SourceListProps) {
  return (
    <ul className="box" aria-label={label}>
      {sources.map((source, index) => (
        <li
          key={JSON.stringify(source)}
          className="flex items-center gap-2.5 min-h-8 py-0.75 pr-1.5 pl-4 border-t border-line first:border-0 phone:flex-wrap phone:gap-y-0.5 phone:py-2 phone:pl-3"
        >
          <Icon name={sourceIcons[source.kind]} size={14} className="t2" />
          <span className="flex-1 min-w-0 wrap-anywhere phone:basis-[70%]">
            <SourceDescription {...{ source, lists, runs }} />
            {note?.(index)}
          </span>
          <span className="t2 text-right phone:order-4 phone:basis-full phone:pl-6 phone:text-left">
            <SourceUsers {...{ source, lists }} users={usersOf?.(index)} />
          </span>
          <Button
            small
            kind="ghost"
            icon="x"
            label={`Remove ${source.kind} ${index + 1}`}
            onClick={() => onRemove(source)}
          />
        </li>
      ))}
    </ul>
  );
}
