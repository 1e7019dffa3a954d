import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { getCampaignOptions, listCampaignsOptions } from '#client/@tanstack/react-query.gen.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Combobox } from '../../parts/controls/combobox.tsx';
import { shortId } from '../../parts/controls/copy-button.tsx';
import { useSettled } from '../../parts/forms/use-settled.ts';
import { Icon } from '../../parts/icon/icon.tsx';
import { plainText } from '../../parts/words/plain-text.ts';

interface CampaignChoiceProps {
  /** Their ids. */
  chosen: readonly string[];
  onChoose: (ids: readonly string[]) => void;
}

/** Campaigns by their names; without any, all of them. */
export function CampaignChoice({ chosen, onChoose }: CampaignChoiceProps) {
  const [isAsking, setAsking] = useState(false);
  const add = (id: string) => {
    if (!chosen.includes(id)) onChoose([...chosen, id]);
    setAsking(false);
  };
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap items-center gap-2">
        {chosen.map((id) => (
          <Chosen key={id} id={id} onRemove={() => onChoose(chosen.filter((each) => each !== id))} />
        ))}
        {chosen.length === 0 && <span className="t2">All campaigns</span>}
        {!isAsking && (
          <Button small kind="ghost" icon="plus" onClick={() => setAsking(true)}>
            {chosen.length === 0 ? 'Only some…' : 'Another one…'}
          </Button>
        )}
      </div>
      {isAsking && <CampaignAsk onAdd={add} onCancel={() => setAsking(false)} />}
    </div>
  );
}

const namesChangeRarely = 60_000;

function Chosen({ id, onRemove }: { id: string; onRemove: () => void }) {
  const campaign = useQuery({ ...getCampaignOptions({ path: { id } }), staleTime: namesChangeRarely, retry: false });
  const name = campaign.data ? plainText(campaign.data.name) : shortId(id);
  return (
    <span className="filt on" title={id}>
      <b>{name}</b>
      <button type="button" aria-label={`Leave out ${name}`} onClick={onRemove}>
        <Icon name="x" size={12} />
      </button>
    </span>
  );
}

const shownAtOnce = 20;
const settleMs = 200;

function CampaignAsk({ onAdd, onCancel }: { onAdd: (id: string) => void; onCancel: () => void }) {
  const [text, setText] = useState('');
  const { value: search } = useSettled(text.trim(), settleMs);
  const query = { limit: shownAtOnce, sort: 'newest' as const, ...(search !== '' && { q: search }) };
  const found = useQuery({ ...listCampaignsOptions({ query }), placeholderData: keepPreviousData });
  const items = found.data?.items ?? [];
  return (
    <div className="ask">
      <Combobox
        label="Campaign"
        placeholder="Its name"
        text={text}
        onText={setText}
        options={items.map(({ id, name, countries }) => ({
          ...{ value: id, label: plainText(name), note: countries.join(' '), isOpaque: true },
        }))}
        onChoose={(value) => {
          const campaign = items.find(({ id, name }) => id === value || name === value);
          if (campaign) onAdd(campaign.id);
        }}
      />
      {found.data?.items.length === 0 && (
        <p className="t3 sm" role="status">
          None is called so.
        </p>
      )}
      <div className="row">
        <Button small kind="ghost" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </div>
  );
}
