import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listAudiencesOptions } from '#client/@tanstack/react-query.gen.ts';
import { describeSegmentSource, formatListSize, formatUses } from './list-texts.ts';
import { useDebounced } from '../forms/use-debounced.ts';
import { Combobox } from '../controls/combobox.tsx';
import type { SourceForm } from './source-form.ts';
import { SourceEditorButtons, type SourceEditorProps } from './source-editor-buttons.tsx';

const maxOptions = 20;
const debounceMs = 200;

/** A form that offers segments by name. The user may also type an id that is not offered. */
export function SegmentEditor({ onAdd, onCancel }: SourceEditorProps<SourceForm>) {
  const [text, setText] = useState('');
  const typed = text.trim();
  const { value: search, isBehind } = useDebounced(typed, debounceMs);
  const query = { kind: 'segment' as const, limit: maxOptions, ...(search !== '' && { q: search }) };
  const found = useQuery({ ...listAudiencesOptions({ query }), placeholderData: keepPreviousData, staleTime: 30_000 });
  const items = found.data?.items ?? [];
  const add = (segment: string) => onAdd({ kind: 'segment', segment });
  const isKnown = items.some(({ id }) => id === typed);
  const isSure = !isBehind && !found.isFetching && found.data?.segmentsFrom === 'segmentation';
  const hint = found.data && describeSegmentSource(found.data);
  return (
    <div className="ask">
      <Combobox
        label="Segment"
        placeholder="Name or id, such as lapsed-riders"
        text={text}
        onText={setText}
        options={items.map((segment) => {
          const size = segment.size === null ? 'size not known' : `${formatListSize(segment.size)} users`;
          return { value: segment.id, label: segment.name, note: `${size}, ${formatUses(segment)}` };
        })}
        onChoose={add}
      />
      {typed !== '' && !isKnown && isSure && (
        <p className="c-warn sm" role="status">
          The segmentation service does not list this id. You can add it anyway: runs request it by its id.
        </p>
      )}
      {typeof hint === 'string' && <p className="hint">{hint}</p>}
      <SourceEditorButtons isReady={typed !== ''} onAdd={() => add(typed)} onCancel={onCancel} />
    </div>
  );
}
