import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listAudiencesOptions } from '#client/@tanstack/react-query.gen.ts';
import type { ListedAudience } from '#client/types.gen.ts';
import { takenOf, type TakenAudience } from '../campaign/form-definition.ts';
import { useSettled } from '../forms/use-settled.ts';
import { Button } from '../controls/button.tsx';
import { Combobox } from '../controls/combobox.tsx';
import { countOf } from '../words/numbers.ts';
import { plainText } from '../words/plain-text.ts';
import type { AskProps } from './ask-buttons.tsx';

const shownAtOnce = 20;
const settleMs = 200;

interface SavedAskProps extends AskProps<TakenAudience> {
  /** Number of sources that the sources of the saved audience replace. */
  replaces: number;
}

export function SavedAsk({ replaces, onAdd, onCancel }: SavedAskProps) {
  const [text, setText] = useState('');
  const { value: search } = useSettled(text.trim(), settleMs);
  const query = { kind: 'saved' as const, limit: shownAtOnce, ...(search !== '' && { q: search }) };
  const found = useQuery({ ...listAudiencesOptions({ query }), placeholderData: keepPreviousData });
  const items = found.data?.items ?? [];
  const choose = (chosen: string) => {
    const saved = items.find(({ id, name }) => id === chosen || name === chosen);
    const taken = saved && takenOf(saved);
    if (taken) onAdd(taken);
  };
  return (
    <div className="ask">
      <Combobox
        label="Saved audience"
        placeholder="Its name"
        text={text}
        onText={setText}
        options={items.map((saved) => ({
          ...{ value: saved.id, label: plainText(saved.name), note: noteOf(saved), isOpaque: true },
        }))}
        onChoose={choose}
      />
      {found.data?.items.length === 0 && (
        <p className="t3 sm" role="status">
          {search === '' ? 'None was saved yet.' : 'None is called so.'}
        </p>
      )}
      {replaces > 0 && (
        <p className="hint">Its sources take the place of {replaces === 1 ? 'the one' : `the ${replaces}`} above.</p>
      )}
      <div className="row">
        <Button small kind="ghost" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </div>
  );
}

/** Returns a text such as `3 sources, SG VN`. */
function noteOf({ audience, countries }: ListedAudience): string {
  const { include = [], exclude = [] } = audience ?? {};
  return `${countOf(include.length + exclude.length, 'source')}, ${(countries ?? []).join(' ')}`;
}
