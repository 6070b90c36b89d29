"""What the app shows of itself before anybody has asked: the worked examples of its lessons, and its gallery."""
