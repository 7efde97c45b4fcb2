import { denizenLine, fancyNpcsSection, znpcsProperty } from '../../textures/commands.ts';
import type { FormatName } from './format-names.ts';

const FIELDS = { value: '{{value}}', signature: '{{signature}}' };
const YAML_FIELDS = {
  url: '{{texture.url|yaml}}',
  value: '{{value|yaml}}',
  signature: '{{signature|yaml}}',
};

/** Source: `custom-skulls.yml` and `CustomSkullRegistryPopulator.java` of GeyserMC/Geyser. */
const GEYSER = `# custom-skulls.yml of Geyser: heads that players of Bedrock Edition see
skin-hashes:
---8<---
- {{texture.hash|yaml}}
---8<---
`;

/** Source: `SkinSource.java` and `PlayerSkin.java` of NEZNAMY/TAB. */
const TAB = `# skincache.yml of TAB: in a layout, the skins are player:NAME
players:
---8<---
  {{name|yaml}}:
  - {{value|yaml}}
  - {{signature|yaml}}
---8<---
`;

/** Source: the pages "Item" and "Menu options" of DeluxeMenus' own wiki. */
const DELUXE_MENUS = `menu_title: Heads
open_command: heads
size: 54
items:
---8<---
  head_{{number}}:
    material: basehead-{{value}}
    slot: {{number|from:0}}
    display_name: {{name|yaml}}
---8<---
`;

/** Source: the pages "Item meta" and "Shop items setup" of brcdev's documents on ShopGUI+. */
const SHOP_GUI_PLUS = `heads:
  name: Heads
  items:
---8<---
    {{number}}:
      type: item
      item:
        material: PLAYER_HEAD
        quantity: 1
        name: {{name|yaml}}
        skin: {{value|yaml}}
      buyPrice: 10
      sellPrice: -1
      slot: {{number|from:0}}
---8<---
`;

const LOOT_TABLE = `{
  "type": "minecraft:chest",
  "pools": [
    {
      "rolls": 1,
      "entries": [
---8<---
        {
          "type": "minecraft:item",
          "name": "minecraft:player_head",
          "functions": [
            {
              "function": "minecraft:set_components",
              "components": {
                "minecraft:profile": {
                  "id": [{{uuid|ints}}],
                  "properties": [{ "name": "textures", "value": {{value|json}}, "signature": {{signature|json}} }]
                },
                "minecraft:custom_name": { "text": {{name|json}}, "italic": false }
              }
            }
          ]
        }{{separator:,}}
---8<---
      ]
    }
  ]
}
`;

/**
 * Formats made with nothing but templates, those in `examples/formats/`. They use only fields that every skin has: the
 * list of all fields belongs to the results.
 */
export const TEMPLATES = {
  denizen: denizenLine(FIELDS),
  fancynpcs: fancyNpcsSection(YAML_FIELDS),
  znpcs: znpcsProperty(FIELDS),
  geyser: GEYSER,
  tab: TAB,
  deluxemenus: DELUXE_MENUS,
  shopguiplus: SHOP_GUI_PLUS,
  'loot-table': LOOT_TABLE,
  profile:
    '{\n  "id": {{uuid|json}},\n  "name": {{name|json}},\n  "properties": [\n    {\n      "name": "textures",\n' +
    '      "value": {{value|json}},\n      "signature": {{signature|json}}\n    }\n  ]\n}\n',
  html:
    '<figure class="skin" data-variant="{{variant|html}}" data-value="{{value|html}}" data-signature="{{signature|html}}">\n' +
    '  <img src="{{texture.url|html}}" alt="Skin {{name|html}}" width="256" style="image-rendering: pixelated">\n' +
    '  <figcaption>{{name|html}}</figcaption>\n</figure>\n',
} as const satisfies Partial<Record<FormatName, string>>;

export const USED_FIELDS = ['uuid', 'name', 'variant', 'value', 'signature', 'texture.url', 'texture.hash'];
