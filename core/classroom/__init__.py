"""A class: students join by phone, predict, see what happened, and hand in what they did."""
