"""Countries as texts name them: by name, by the adjective of nationality, or by a state that lies in them."""

from __future__ import annotations

import re
from functools import cache

_NAMES = """
Afghanistan: Afghan | Albania: Albanian | Algeria: Algerian | Andorra: Andorran | Angola: Angolan
Argentina: Argentine, Argentinian | Armenia: Armenian | Australia: Australian, New South Wales, Queensland, Tasmania
Austria: Austrian | Azerbaijan: Azerbaijani, Azeri | Bahamas: Bahamian | Bahrain: Bahraini
Bangladesh: Bangladeshi | Barbados: Barbadian | Belarus: Belarusian, Byelorussian | Belgium: Belgian
Belize: Belizean | Benin: Beninese | Bhutan: Bhutanese | Bolivia: Bolivian
Bosnia and Herzegovina: Bosnian, Bosnia | Botswana: Botswanan | Brazil: Brazilian | Brunei: Bruneian
Bulgaria: Bulgarian | Burkina Faso: Burkinabé | Burundi: Burundian | Cambodia: Cambodian | Cameroon: Cameroonian
Canada: Canadian, Ontario, Quebec, British Columbia, Alberta, Manitoba, Saskatchewan, Nova Scotia, New Brunswick,
 Newfoundland
Cape Verde: Cape Verdean | Chad: Chadian | Chile: Chilean | China: Chinese, People's Republic of China
Colombia: Colombian | Congo: Congolese, Democratic Republic of the Congo | Costa Rica: Costa Rican
Croatia: Croatian | Cuba: Cuban | Cyprus: Cypriot | Czech Republic: Czech, Czechia
Czechoslovakia: Czechoslovak, Czechoslovakian | Denmark: Danish, Dane | Djibouti: Djiboutian | Dominica:
Dominican Republic: Dominican | East Germany: East German | East Timor: Timorese | Ecuador: Ecuadorian
Egypt: Egyptian | El Salvador: Salvadoran | Eritrea: Eritrean | Estonia: Estonian | Ethiopia: Ethiopian
Fiji: Fijian | Finland: Finnish, Finn | France: French, Frenchman | Gabon: Gabonese | Gambia: Gambian
Germany: German, West German, West Germany, Bavaria, Saxony | Ghana: Ghanaian | Greece: Greek
Greenland: Greenlandic
Grenada: Grenadian | Guatemala: Guatemalan | Guinea: Guinean | Guyana: Guyanese | Haiti: Haitian
Honduras: Honduran | Hong Kong: Hongkonger | Hungary: Hungarian | Iceland: Icelandic
India: Indian, Tamil Nadu, Kerala, Karnataka, Maharashtra, Gujarat, Punjab, Bengali | Indonesia: Indonesian
Iran: Iranian, Persian, Persia | Iraq: Iraqi | Ireland: Irish, Republic of Ireland | Israel: Israeli | Italy: Italian
Ivory Coast: Ivorian | Jamaica: Jamaican | Japan: Japanese | Jordan: Jordanian | Kazakhstan: Kazakh, Kazakhstani
Kenya: Kenyan | Kosovo: Kosovar, Kosovan | Kuwait: Kuwaiti | Kyrgyzstan: Kyrgyz | Laos: Laotian | Latvia: Latvian
Lebanon: Lebanese | Lesotho: Basotho | Liberia: Liberian | Libya: Libyan | Liechtenstein: Liechtensteiner
Lithuania: Lithuanian | Luxembourg: Luxembourgish, Luxembourgian | Madagascar: Malagasy | Malawi: Malawian
Malaysia: Malaysian | Maldives: Maldivian | Mali: Malian | Malta: Maltese | Mauritania: Mauritanian
Mauritius: Mauritian | Mexico: Mexican | Moldova: Moldovan | Monaco: Monégasque | Mongolia: Mongolian
Montenegro: Montenegrin | Morocco: Moroccan | Mozambique: Mozambican | Myanmar: Burmese, Burma | Namibia: Namibian
Nepal: Nepalese, Nepali | Netherlands: Dutch, Dutchman | New Zealand: New Zealander | Nicaragua: Nicaraguan
Nigeria: Nigerian | Niger: Nigerien | North Korea: North Korean | North Macedonia: Macedonian, Macedonia
Norway: Norwegian | Oman: Omani | Pakistan: Pakistani | Palestine: Palestinian | Panama: Panamanian
Papua New Guinea: Papuan | Paraguay: Paraguayan | Peru: Peruvian | Philippines: Filipino, Philippine
Poland: Polish | Portugal: Portuguese | Puerto Rico: Puerto Rican | Qatar: Qatari | Romania: Romanian
Russia: Russian, Russian Empire | Rwanda: Rwandan | Samoa: Samoan | San Marino: Sammarinese
Saudi Arabia: Saudi, Saudi Arabian | Senegal: Senegalese | Serbia: Serbian | Seychelles: Seychellois
Sierra Leone: Sierra Leonean | Singapore: Singaporean | Slovakia: Slovak | Slovenia: Slovenian, Slovene
Somalia: Somali | South Africa: South African | South Korea: South Korean | Soviet Union: Soviet, USSR
Spain: Spanish, Spaniard, Catalonia, Catalan, Basque | Sri Lanka: Sri Lankan | Sudan: Sudanese | Suriname: Surinamese
Sweden: Swedish, Swede | Switzerland: Swiss | Syria: Syrian | Taiwan: Taiwanese | Tajikistan: Tajik
Tanzania: Tanzanian | Thailand: Thai | Togo: Togolese | Tonga: Tongan | Trinidad and Tobago: Trinidadian
Tunisia: Tunisian | Turkey: Turkish, Ottoman Empire, Ottoman | Turkmenistan: Turkmen | Uganda: Ugandan
Ukraine: Ukrainian | United Arab Emirates: Emirati
United Kingdom: British, English, Scottish, Welsh, Northern Irish, England, Scotland, Wales, Northern Ireland, UK, U.K.,
 Great Britain, Englishman, Scotsman
United States: American, US, U.S., USA, U.S.A., United States of America, Alabama, Alaska, Arizona, Arkansas,
 California, Colorado,
 Connecticut, Delaware, Florida, Hawaii, Idaho, Illinois, Indiana, Iowa, Kansas, Kentucky, Louisiana,
 Maine, Maryland, Massachusetts, Michigan, Minnesota, Mississippi, Missouri, Montana, Nebraska, Nevada, New Hampshire,
 New Jersey, New Mexico, New York, North Carolina, North Dakota, Ohio, Oklahoma, Oregon, Pennsylvania, Rhode Island,
 South Carolina, South Dakota, Tennessee, Texas, Utah, Vermont, Virginia, West Virginia, Wisconsin, Wyoming
Uruguay: Uruguayan | Uzbekistan: Uzbek | Vatican City: | Venezuela: Venezuelan | Vietnam: Vietnamese
Yemen: Yemeni | Yugoslavia: Yugoslav, Yugoslavian | Zambia: Zambian | Zimbabwe: Zimbabwean
"""


@cache
def _table() -> tuple[dict[str, str], re.Pattern[str]]:
    """Each name and adjective -> its country; and the pattern that finds them, longer ones first."""
    known: dict[str, str] = {}
    for entry in _NAMES.replace("\n ", " ").replace("\n", "|").split("|"):
        country, _, others = (part.strip() for part in entry.partition(":"))
        if country:
            known |= dict.fromkeys([country, *filter(None, map(str.strip, others.split(",")))], country)
    longest = sorted(known, key=len, reverse=True)
    return known, re.compile(rf"(?<![\w])(?:{'|'.join(map(re.escape, longest))})(?![\w])")


def countries_in(text: str) -> list[tuple[int, int, str]]:
    """The countries that a text names, in order: where the words begin and end, and the country."""
    known, pattern = _table()
    return [(one.start(), one.end(), known[one[0]]) for one in pattern.finditer(text)]
