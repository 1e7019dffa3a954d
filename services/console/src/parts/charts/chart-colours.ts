/** Colours of the tokens, resolved for the current theme, because a canvas takes no variables. */
export interface ChartColours {
  line: string;
  area: string;
  grid: string;
  text: string;
  strong: string;
  surface: string;
  mark: string;
}

/** Reads the tokens through the style of an element: a canvas supports neither variables nor `light-dark()`. */
export function coloursOf(place: HTMLElement): ChartColours {
  const probe = document.createElement('span');
  probe.hidden = true;
  place.append(probe);
  const read = (token: string) => {
    probe.style.color = `var(${token})`;
    return getComputedStyle(probe).color;
  };
  const colours: ChartColours = {
    line: read('--s-line'),
    area: read('--s-area'),
    grid: read('--line'),
    text: read('--text-3'),
    strong: read('--text'),
    surface: read('--surface'),
    mark: read('--warn'),
  };
  probe.remove();
  return colours;
}
