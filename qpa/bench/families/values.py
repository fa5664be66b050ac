"""Value pools and the seeded draw. The last fifth of every pool is held out: only test instances may use it.

Training draws half of its values from no pool at all but coins them in the likeness of one: a planner that has met
ninety titles a thousand times each recites titles; one that always meets new ones copies them from the request.
"""

from __future__ import annotations

import random
import re
from datetime import timedelta

from qpa.bench.families import values_zh
from qpa.bench.families.pools import cross, pool_of
from qpa.envs.sandbox.schema import WORLD_CLOCK

_HELD_OUT_SHARE = 5  # one value in five
_COINED_SHARE = 0.5  # of the values of an open draw


NAMES = pool_of(
    "Aaron|Abby|Adele|Amir|Anita|Anton|Bella|Boris|Bruno|Carla|Cedric|Chloe|Dana|Darius|Diego|Dora|Elena|Elias|"
    "Emma|Fabio|Farah|Felix|Fiona|Gavin|Greta|Hana|Hector|Holly|Hugo|Ines|Ivan|Jade|Jasper|Joan|Jonas|Kara|Kevin|"
    "Klaus|Lara|Leo|Lina|Luca|Mabel|Marco|Maya|Milo|Mona|Nadia|Nils|Nora|Omar|Oscar|Paula|Pedro|Petra|Quinn|Ravi|"
    "Rosa|Ruben|Sara|Simon|Sofia|Stella|Tara|Theo|Tina|Tomas|Uma|Victor|Vera|Wanda|Xavier|Yara|Yusuf|Zara|Zeno|"
    "Agnes|Basil|Clara|Dino|Edgar|Flora|Goran|Heidi|Igor|Jenna|Kiran|Leila|Magda|Nico|Olga|Pablo|Rhea|Silas|"
    "Talia|Ursula|Vito|Willa|Yosef|Zoe"
)
TITLES = pool_of(
    "Gym|Yoga|Swim|Run|Walk dog|Water plants|Take pills|Vitamins|School bus|Standup|Tea time|Lunch|"
    "Dinner|Nap|Laundry|"
    "Trash day|Read book|Piano|Guitar|Choir|Chess club|Garden|Bakery|Market|Car wash|Train|Airport|Ferry|Night shift|"
    "Early shift|Stretching|Meditate|Study|Homework|Vocabulary|Exam prep|Lab work|Backup|Pay rent|Invoices|Timesheet|"
    "Newsletter|Podcast|Movie|Ballet|Judo|Tennis|Football|Hockey|Sailing|Climbing|Cycling|Rowing|"
    "Pilates|Boxing|Karate|"
    "Pottery|Painting|Sketching|Knitting|Sewing|Baking|Grill party|Picnic|Museum|Theatre|Concert|"
    "Rehearsal|Quiz night|"
    "Book club|Language class|Dance class|First aid|Blood test|Dentist|Physio|Vet|Barber|Optician|Massage"
)
EVENTS = pool_of(
    "Budget review|Design review|Team sync|Board meeting|Client call|Code review|Sales pitch|"
    "Job interview|Site visit|"
    "Product demo|Town hall|Hackathon|Onboarding|Workshop|Seminar|Thesis talk|Lecture|Seminar prep|Parent evening|"
    "School play|Birthday party|Wedding|Housewarming|Farewell lunch|Team lunch|Coffee chat|Family dinner|Game night|"
    "Movie night|Art show|Book fair|Flea market|Craft fair|Food fair|Jazz night|Opera|Choir practice|Band practice|"
    "Football match|Tennis match|Ski trip|Beach trip|Road trip|City tour|Boat tour|Wine tasting|"
    "Cooking class|Yoga class|"
    "Dance lesson|Driving lesson|Dental check|Eye test|Vet visit|Car service|Boiler check|Moving day|Rent meeting|"
    "Tax meeting|Bank meeting|Insurance call|Visa interview|Passport pickup|Parcel pickup|Tech meetup|Press briefing|"
    "Audit|Safety drill|Fire drill|Retro|Planning day|Strategy day|Mentor session"
)
TODOS = pool_of(
    "buy milk|buy bread|buy stamps|buy batteries|buy flowers|buy paint|buy coffee|buy soap|call plumber|call bank|"
    "call landlord|call dentist|renew passport|renew library card|renew insurance|return parcel|"
    "return books|return keys|"
    "fix bike|fix lamp|fix tap|fix printer|clean oven|clean fridge|clean windows|clean desk|sort photos|sort mail|"
    "sort receipts|pack suitcase|pack lunch|book hotel|book train|book table|book tickets|print labels|print tickets|"
    "scan contract|sign lease|sign form|pay taxes|pay gas bill|pay tuition|send invoice|send postcard|update resume|"
    "update website|write report|write speech|write review|plan trip|plan party|plan menu|order filters|order ink|"
    "order cake|charge camera|charge drone|feed cat|feed fish|walk dog|wash car|wash curtains|iron shirts|mow lawn|"
    "plant tulips|prune roses|paint fence|move sofa|hang shelf|test alarm|check tyres|check oil|label boxes"
)
PLACES = pool_of(
    "Room A1|Room B2|Room C3|Room D4|Room E5|Room 101|Room 204|Room 310|Main hall|East hall|West hall|North wing|"
    "South wing|Lobby|Cafe Luna|Cafe Nord|Cafe Rio|Library|City park|Harbor|Old mill|Town square|"
    "Stadium|Arena|Studio 5|"
    "Studio 9|Lab 2|Lab 7|Office 12|Office 30|Hotel Astor|Hotel Bristol|Museum|Gallery|Campus|"
    "Terminal 2|Pier 4|Gate 9|"
    "Clinic|School|Gym hall|Pool|Rooftop|Garden|Annex|Barn|Chapel|Theatre|Cinema 6|Plaza|Market hall|Tower 1|Tower 3|"
    "Courtyard|Deck 2|Depot|Foundry|Greenhouse|Lodge|Pavilion|Quay 8|Tea house|Villa Rosa|Workshop 4"
)
MESSAGES = pool_of(
    "I am on my way|Running late|See you at six|Call me back|Meeting moved|Lunch is ready|Train is late|I am home|"
    "Bring the keys|Bring an umbrella|Door is open|Parcel arrived|Happy birthday|Good luck today|Thanks for dinner|"
    "Where are you|Start without me|Almost there|Dinner at eight|Need a ride|Got the tickets|"
    "Missed the bus|Bus is full|"
    "Flight delayed|Landed safely|Check your mail|Send the file|Photo looks great|Great job|Well done|Take your time|"
    "No rush|Feeling better|Out of office|Back on Monday|See you tomorrow|Sleep well|Good morning|Get some milk|"
    "Buy some bread|Save me a seat|Meet at the gate|Meet at the cafe|Wait for me|I will be late|Class is cancelled|"
    "Game starts soon|We won|Snow on the road|Road is closed|Power is out|Wifi is down|Battery is low|Lost my keys|"
    "Found your scarf|Key under the mat|Cat is fine|Dog is fed|Plants are watered|Rent is paid|"
    "Order shipped|Code is 4417"
)
NETWORKS = cross(
    "{}{}",
    "Acorn|Birch|Cedar|Delta|Ember|Falcon|Glacier|Harbor|Indigo|Juniper|Koala",
    "_Net|-5G|_Guest|-Home|_Cafe|-Office",
)
DEVICES = cross(
    "{} {}",
    "Nova|Pulse|Orbit|Zenith|Echo9|Lyra|Vega|Titan|Coral|Onyx|Quartz|Sable",
    "Buds|Speaker|Watch|Keyboard|Headset|Car Kit",
)
NOTES = cross(
    "{} is {}",
    "locker code|gate code|train seat|desk number|bike lock|parking level|room number|box code|pew number|tent spot|"
    "cinema row|ward number|badge code|door pin|shelf label|boat berth",
    "A12|B7|C31|D45|E9|F60|4471|8820|1937|5506",
)
PROMPTS = cross(
    "{} {}",
    "red|blue|golden|tiny|giant|snowy|sleepy|paper|neon|ancient",
    "fox|castle|balloon|robot|whale|teapot|lighthouse|dragon|owl|train",
)
TOPICS = pool_of(
    "job interviews|hotel check-in|small talk|ordering food|airport travel|phone calls|sales pitches|storytelling|"
    "debates|team meetings|customer service|doctor visits|taxi rides|shopping|renting a flat|"
    "banking|weather|sports|music|"
    "movies|cooking|gardening|politics|science|history|art|family|holidays|school life|office life|dating|parties|"
    "presentations|negotiation|complaints|apologies|directions|train travel|bus travel|car rental|museum visits|"
    "restaurant bookings|haircuts|sightseeing|camping|hiking|skiing|swimming|football|chess|pets|farming|fashion|"
    "technology|robots|space|climate|recycling|health|fitness|yoga|dreams"
)


_WORD = re.compile(r"[A-Za-z]{3,}")
_OPEN = (NAMES, TITLES, EVENTS, TODOS, PLACES, MESSAGES, NETWORKS, DEVICES, NOTES, PROMPTS, TOPICS)  # any value will do
# By identity: hashing a pool of hundreds of words for every value would cost more than the draw.
_CHINESE = {
    id(pool): getattr(values_zh, name)
    for name, pool in list(globals().items())
    if name.isupper() and isinstance(pool, tuple) and hasattr(values_zh, name)
}


def _border(pool: tuple[str, ...]) -> int:
    """Where the held-out fifth of a pool begins."""
    return len(pool) - len(pool) // _HELD_OUT_SHARE


def _words(held_out: bool) -> list[str]:
    """Lower-case words of the open pools' held-out fifths, or of the rest."""
    found: set[str] = set()
    for pool in _OPEN:
        border = _border(pool)
        for value in pool[border:] if held_out else pool[:border]:
            found.update(word.lower() for word in _WORD.findall(value))
    return sorted(found)


_KNOWN_WORDS, _SECRET_WORDS = _words(held_out=False), frozenset(_words(held_out=True))


class Draw(random.Random):
    """A seeded random stream with typed value draws.

    `held_out` lets half of the values come from the unseen fifth of a pool, `coined` half of them from no pool;
    `chinese` draws from the Chinese counterpart where a pool has one.
    """

    def __init__(
        self, seed: str, index: int = 0, held_out: bool = False, coined: bool = False, chinese: bool = False
    ) -> None:
        super().__init__(seed)
        self.index = index  # the task's seed, for families that alternate between two settings
        # Counts the tasks of a family in one language, for families that go through several kinds of instances.
        self.turn = index // 2
        self.held_out, self.coined, self.chinese = held_out, coined, chinese

    def __new__(
        cls, seed: str, index: int = 0, held_out: bool = False, coined: bool = False, chinese: bool = False
    ) -> Draw:
        # The base class would take `index` for a second seed argument.
        return super().__new__(cls, seed)  # type: ignore[call-arg]

    def pick(self, pool: tuple[str, ...]) -> str:
        """One value of a pool, respecting the held-out fifth, or a coined one in its likeness."""
        if self.chinese:
            pool = _CHINESE.get(id(pool), pool)
        border = _border(pool)
        if self.held_out and self.random() < 0.5:
            return pool[self.randrange(border, len(pool))]
        value = pool[self.randrange(border)]
        return _WORD.sub(self._coin, value) if self._coins(pool) else value

    def _coins(self, pool: tuple[str, ...]) -> bool:
        return self.coined and any(pool is p for p in _OPEN) and self.random() < _COINED_SHARE

    def _coin(self, word: re.Match[str]) -> str:
        """Another word with the same capital: the head of one known word and the tail of another."""
        made = ""
        while len(made) < 2 or made in _SECRET_WORDS:
            head, tail = self.choice(_KNOWN_WORDS), self.choice(_KNOWN_WORDS)
            made = head[: self.randint(1, 4)] + tail[-self.randint(1, 4) :]
        return made.capitalize() if word[0][0].isupper() else made

    def say(self, english: str, chinese: str) -> str:
        """The text in the task's language."""
        return chinese if self.chinese else english

    def several(self, pool: tuple[str, ...], count: int) -> list[str]:
        """Distinct values of a pool."""
        found: list[str] = []
        while len(found) < count:
            value = self.pick(pool)
            if value not in found:
                found.append(value)
        return found

    def time(self, start: int = 5, end: int = 22) -> str:
        """A time of day HH:MM on a five minute grid with `start` <= hour <= `end`."""
        return f"{self.randint(start, end):02d}:{self.randrange(0, 60, 5):02d}"

    def times(self, count: int) -> list[str]:
        """Distinct times of day."""
        found: list[str] = []
        while len(found) < count:
            value = self.time()
            if value not in found:
                found.append(value)
        return found

    def day(self) -> str:
        """A date one day to ten weeks after the task's clock, YYYY-MM-DD."""
        return (WORLD_CLOCK.date() + timedelta(days=self.randint(1, 70))).isoformat()

    def phone(self) -> str:
        """An eleven digit number in the published style, 138-1111-2222."""
        return f"13{self.randint(0, 9)}-{self.randint(1000, 9999)}-{self.randint(1000, 9999)}"

    def password(self) -> str:
        """A short Wi-Fi password."""
        return self.choice("abcdefghkmnprstuvwxyz") * 2 + str(self.randint(100000, 999999))
