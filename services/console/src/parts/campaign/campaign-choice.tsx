import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { listCampaignsOptions } from '#client/@tanstack/react-query.gen.ts';
import { problemOf } from '../../api/problems.ts';
import { Button } from '../controls/button.tsx';
import { Combobox } from '../controls/combobox.tsx';
import { useDebounced } from '../forms/use-debounced.ts';
import { Icon } from '../icon/icon.tsx';
import { plainText } from '../words/plain-text.ts';
import { useCampaignName } from './campaign-name.tsx';

interface CampaignChoiceProps {
  chosen: readonly string[];
  /** Typed text of the search for a further campaign; null while the search is closed. */
  search: string | null;
  /** Texts that are shown if no campaign is chosen: the meaning, and the button that opens the search. */
  none: { text: string; verb: string };
  onChange: (part: { campaigns?: readonly string[]; campaignSearch: string | null }) => void;
}

/** Names of the chosen campaigns, and a search for further ones. */
export function CampaignChoice({ chosen, search, none, onChange }: CampaignChoiceProps) {
  const add = (id: string) =>
    onChange({ campaigns: chosen.includes(id) ? chosen : [...chosen, id], campaignSearch: null });
  const remove = (id: string) => onChange({ campaigns: chosen.filter((each) => each !== id), campaignSearch: search });
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap items-center gap-2">
        {chosen.map((id) => (
          <ChosenCampaign key={id} id={id} onRemove={() => remove(id)} />
        ))}
        {chosen.length === 0 && <span className="t2">{none.text}</span>}
        {search === null && (
          <Button small kind="ghost" icon="plus" onClick={() => onChange({ campaignSearch: '' })}>
            {chosen.length === 0 ? none.verb : 'Add another…'}
          </Button>
        )}
      </div>
      {search !== null && (
        <CampaignSearch
          text={search}
          onText={(text) => onChange({ campaignSearch: text })}
          onAdd={add}
          onCancel={() => onChange({ campaignSearch: null })}
        />
      )}
    </div>
  );
}

function ChosenCampaign({ id, onRemove }: { id: string; onRemove: () => void }) {
  const name = useCampaignName(id);
  return (
    <span className="filt on" title={id}>
      <b>{name}</b>
      <button type="button" aria-label={`Remove ${name}`} onClick={onRemove}>
        <Icon name="x" size={12} />
      </button>
    </span>
  );
}

const maxOptions = 20;
const settleMs = 200;

interface CampaignSearchProps {
  text: string;
  onText: (text: string) => void;
  onAdd: (id: string) => void;
  onCancel: () => void;
}

function CampaignSearch({ text, onText, onAdd, onCancel }: CampaignSearchProps) {
  const { value: search } = useDebounced(text.trim(), settleMs);
  const query = { limit: maxOptions, sort: 'newest' as const, ...(search !== '' && { q: search }) };
  const found = useQuery({ ...listCampaignsOptions({ query }), placeholderData: keepPreviousData });
  const items = found.data?.items ?? [];
  return (
    <div className="ask">
      <Combobox
        label="Campaign"
        placeholder="Its name"
        text={text}
        onText={onText}
        options={items.map(({ id, name, countries }) => ({
          value: id,
          label: plainText(name),
          note: countries.join(' '),
          isOpaque: true,
        }))}
        onChoose={(value) => {
          const campaign = items.find(({ id, name }) => id === value || name === value);
          if (campaign) onAdd(campaign.id);
        }}
      />
      {found.error !== null && (
        <p className="c-bad sm" role="alert">
          {problemOf(found.error).detail}
        </p>
      )}
      {found.data?.items.length === 0 && (
        <p className="t3 sm" role="status">
          No campaign has this name.
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
