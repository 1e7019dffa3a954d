import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listAudiencesOptions } from '#client/@tanstack/react-query.gen.ts';
import type { ListedAudience } from '#client/types.gen.ts';
import { copiedAudienceOf, type CopiedAudience } from './source-form.ts';
import { useDebounced } from '../forms/use-debounced.ts';
import { Button } from '../controls/button.tsx';
import { Combobox } from '../controls/combobox.tsx';
import { countOf } from '../words/numbers.ts';
import { plainText } from '../words/plain-text.ts';
import type { SourceEditorProps } from './source-editor-buttons.tsx';

const maxOptions = 20;
const debounceMs = 200;

interface SavedAudienceEditorProps extends SourceEditorProps<CopiedAudience> {
  /** Number of sources that the sources of the saved audience replace. */
  replaces: number;
}

export function SavedAudienceEditor({ replaces, onAdd, onCancel }: SavedAudienceEditorProps) {
  const [text, setText] = useState('');
  const { value: search } = useDebounced(text.trim(), debounceMs);
  const query = { kind: 'saved' as const, limit: maxOptions, ...(search !== '' && { q: search }) };
  const found = useQuery({ ...listAudiencesOptions({ query }), placeholderData: keepPreviousData });
  const items = found.data?.items ?? [];
  const choose = (chosen: string) => {
    const saved = items.find(({ id, name }) => id === chosen || name === chosen);
    const taken = saved && copiedAudienceOf(saved);
    if (taken) onAdd(taken);
  };
  return (
    <div className="ask">
      <Combobox
        label="Saved audience"
        placeholder="Name"
        text={text}
        onText={setText}
        options={items.map((saved) => ({
          value: saved.id,
          label: plainText(saved.name),
          note: noteOf(saved),
          isOpaque: true,
        }))}
        onChoose={choose}
      />
      {found.data?.items.length === 0 && (
        <p className="t3 sm" role="status">
          {search === '' ? 'There are no saved audiences yet.' : 'No saved audience has this name.'}
        </p>
      )}
      {replaces > 0 && (
        <p className="hint">Its sources replace {replaces === 1 ? 'the one' : `the ${replaces}`} above.</p>
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
