import type { Campaign } from '#client/types.gen.ts';
import { quotedTitleOf, titleOf } from '../words/action-titles.ts';
import { countOf } from '../words/numbers.ts';
import type { CheckFallback } from './form.ts';
import { Parameters } from './parameters.tsx';
import { PreviewButton } from './preview-button.tsx';
import { formatWeight, type Variant } from './variant-words.ts';

interface DefinedChainProps {
  chain: Campaign['chain'];
  countries: string[];
  /** Reason why the user may not preview messages. */
  previewRefusal: string | undefined;
}

/** Steps of a campaign with their parameters, and the parameters of each variant. */
export function DefinedChain({ chain, countries, previewRefusal }: DefinedChainProps) {
  return (
    <ol className="grid gap-2">
      {chain.map(({ action, params, variants, unitsPerUser, check }, index) => (
        <li key={`${index} ${action}`}>
          <b className="font-medium">
            {index + 1}&ensp;{titleOf(action)}
          </b>
          {unitsPerUser !== undefined && <span className="t3"> costs {countOf(unitsPerUser, 'unit')} a user</span>}
          {check !== undefined && (
            <p className="t2">{`calls the check ${quotedTitleOf(check.type)} first: ${unavailableWords[check.onUnavailable]}`}</p>
          )}
          {variants === undefined ? (
            <>
              <Parameters {...{ action, params, countries }} />
              <PreviewButton {...{ action, params, countries }} refusal={previewRefusal} />
            </>
          ) : (
            <>
              {Object.keys(params).length > 0 && <Parameters {...{ action, params, countries }} />}
              <ul aria-label={`Variants of step ${index + 1}`} className="grid gap-1.5 mt-1">
                {variants.map((variant) => (
                  <DefinedVariant key={variant.name} {...{ variant, action, params, countries, previewRefusal }} />
                ))}
              </ul>
            </>
          )}
        </li>
      ))}
    </ol>
  );
}

interface DefinedVariantProps extends Omit<DefinedChainProps, 'chain'> {
  variant: Variant;
  action: string;
  /** Parameters that all variants of the step share. */
  params: Campaign['chain'][number]['params'];
}

function DefinedVariant({ variant, action, params, countries, previewRefusal }: DefinedVariantProps) {
  const { name, weight, params: own } = variant;
  return (
    <li className="pl-3 border-l-2 border-line">
      <b className="font-medium">{name}</b>
      {weight !== undefined && <span className="t3"> {formatWeight(weight)} of the users</span>}
      {Object.keys(own).length === 0 ? (
        <div className="t3 sm">as above</div>
      ) : (
        <Parameters {...{ action, params: own, countries }} />
      )}
      <PreviewButton {...{ action, params: { ...params, ...own }, countries }} refusal={previewRefusal} />
    </li>
  );
}

/** Effect on users whose check gives no answer. */
const unavailableWords: Record<CheckFallback, string> = {
  wait: 'without an answer, users wait',
  fail: 'without an answer, users fail',
  call: 'without an answer, users are called',
};
