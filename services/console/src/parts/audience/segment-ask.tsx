import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listAudiencesOptions } from '#client/@tanstack/react-query.gen.ts';
import { segmentsFrom, sizeText, usedByWords } from './use-words.ts';
import { useSettled } from '../forms/use-settled.ts';
import { Combobox } from '../controls/combobox.tsx';
import type { SourceForm } from '../campaign/form.ts';
import { AskButtons, type AskProps } from './ask-buttons.tsx';

const shownAtOnce = 20;
const settleMs = 200;

/** A form that offers segments by name. The user may also type an id that is not offered. */
export function SegmentAsk({ onAdd, onCancel }: AskProps<SourceForm>) {
  const [text, setText] = useState('');
  const typed = text.trim();
  const { value: search, isBehind } = useSettled(typed, settleMs);
  const query = { kind: 'segment' as const, limit: shownAtOnce, ...(search !== '' && { q: search }) };
  const found = useQuery({ ...listAudiencesOptions({ query }), placeholderData: keepPreviousData, staleTime: 30_000 });
  const items = found.data?.items ?? [];
  const add = (segment: string) => onAdd({ kind: 'segment', segment });
  const isKnown = items.some(({ id }) => id === typed);
  const isSure = !isBehind && !found.isFetching && found.data?.segmentsFrom === 'segmentation';
  const hint = found.data && segmentsFrom(found.data);
  return (
    <div className="ask">
      <Combobox
        label="Segment"
        placeholder="Its name or id, such as lapsed-riders"
        text={text}
        onText={setText}
        options={items.map((segment) => {
          const size = segment.size === null ? 'size not known' : `${sizeText(segment.size)} users`;
          return { value: segment.id, label: segment.name, note: `${size}, ${usedByWords(segment)}` };
        })}
        onChoose={add}
      />
      {typed !== '' && !isKnown && isSure && (
        <p className="c-warn sm" role="status">
          No segment has this id in the list of the segmentation service. It can be added, and is asked for.
        </p>
      )}
      {typeof hint === 'string' && <p className="hint">{hint}</p>}
      <AskButtons isReady={typed !== ''} onAdd={() => add(typed)} onCancel={onCancel} />
    </div>
  );
}
