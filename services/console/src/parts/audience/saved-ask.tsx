import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listSavedAudiencesOptions } from '#client/@tanstack/react-query.gen.ts';
import type { SavedAudience } from '#client/types.gen.ts';
import { useSettled } from '../forms/use-settled.ts';
import { Button } from '../controls/button.tsx';
import { Combobox } from '../controls/combobox.tsx';
import { countOf } from '../words/numbers.ts';
import { plainText } from '../words/plain-text.ts';
import type { AskProps } from './ask-buttons.tsx';

const shownAtOnce = 20;
const settleMs = 200;

interface SavedAskProps extends AskProps<SavedAudience> {
  /** Number of sources that the sources of the saved audience replace. */
  replaces: number;
}

export function SavedAsk({ replaces, onAdd, onCancel }: SavedAskProps) {
  const [text, setText] = useState('');
  const { value: search } = useSettled(text.trim(), settleMs);
  const query = { limit: shownAtOnce, ...(search !== '' && { q: search }) };
  const found = useQuery({ ...listSavedAudiencesOptions({ query }), placeholderData: keepPreviousData });
  const items = found.data?.items ?? [];
  const choose = (chosen: string) => {
    const saved = items.find(({ id, name }) => id === chosen || name === chosen);
    if (saved) onAdd(saved);
  };
  return (
    <div className="ask">
      <Combobox
        label="Saved audience"
        placeholder="Its name"
        text={text}
        onText={setText}
        options={items.map(({ id, name, countries, audience }) => {
          const sources = countOf(audience.include.length + (audience.exclude ?? []).length, 'source');
          return { value: id, label: plainText(name), note: `${sources}, ${countries.join(' ')}`, isOpaque: true };
        })}
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
